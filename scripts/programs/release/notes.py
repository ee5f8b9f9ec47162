"""The release notes: what CHANGELOG.md says about a version."""

import re


def notes(changelog: str, version: str) -> str:
    """Return the section of a version; as long as there is none, that of what is unreleased.

    Raises:
        ValueError: there is neither.
    """
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    found = {section.split(maxsplit=1)[0].strip("[]"): section for section in sections}
    section = found.get(version) or found.get("Unreleased")
    if section is None:
        raise ValueError(f"CHANGELOG.md has no section for {version}: write one")
    _, _, text = section.partition("\n")
    return f"# Coffee Rush {version}\n\n{text.strip()}\n"
