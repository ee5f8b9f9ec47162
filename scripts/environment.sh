# Sourced by the other scripts here: creates the project's virtual environment, .venv.
# shellcheck shell=bash

root=$(CDPATH= cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# A shim may exist for a version that is not installed, so each candidate has to run.
find_python() {
    local name without_venv=
    for name in python3.13 python3.12 python3.11 python3 python; do
        "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 || continue
        "$name" -c 'import ensurepip, venv' >/dev/null 2>&1 && echo "$name" && return
        without_venv=${without_venv:-$name}
    done
    [[ -z $without_venv ]] ||
        fail "Your $without_venv cannot create virtual environments: install its venv module (on Debian and Ubuntu: apt install python3-venv) and run this again."
    fail "Coffee Rush needs Python 3.11 or newer: install it from your system's packages or python.org, and run this again."
}

venv_runs() {
    "$venv/bin/python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# What the environment was created from: it is recreated if the path or the requirements change.
fingerprint() {
    printf '%s %s %s\n' "$root" "$1" "$(cat "$root/setup.cfg" "$root/setup.py" | cksum)"
}

# Usage: need play|test. An environment for the tests also runs the game.
need() {
    local extra stamp=$venv/.made-for
    if venv_runs && [[ -f $stamp ]]; then
        for extra in test "$1"; do
            [[ $(<"$stamp") != "$(fingerprint "$extra")" ]] || return 0
        done
    fi
    make_environment "$1" && fingerprint "$1" >"$stamp"
}

make_environment() {
    local python what=$root
    rm -f "$venv/.made-for"
    if ! venv_runs; then
        python=$(find_python) || exit 1
        echo "Creating the virtual environment $venv with $python…" >&2
        "$python" -m venv --clear "$venv" || fail "The virtual environment could not be created; see above."
    fi
    [[ $1 == play ]] || what="$root[$1]"
    echo "Installing what Coffee Rush needs (about a minute)…" >&2
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input -e "$what" >&2 ||
        fail "The installation failed, see above: check that this machine can reach a Python package index, and run this again."
}
