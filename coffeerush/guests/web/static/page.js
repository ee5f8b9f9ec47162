// The page at /: shows the elements that it is sent, and says what is tapped and typed. It knows no
// rule and no text: these come from the server (page.py, game_page.py).
"use strict";

const LATE_MS = 1500, ANSWER_MS = 4000, LONGEST_RETRY_MS = 3000, BEAT_MS = 3000, SETTLE_MS = 300,
  CLOSED_MS = 500, PACE_MS = 40, READ_MS = 3000;
const KEYS = {
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Enter: "c-m",
  Escape: "escape", Backspace: "c-h", F1: "f1", F2: "f2", F3: "f3", F4: "f4",
};
const NAMES = { // of keys, as ARIA has them
  "c-m": "Enter", "c-h": "Backspace", " ": "Space", escape: "Escape", left: "ArrowLeft",
  right: "ArrowRight", up: "ArrowUp", down: "ArrowDown",
  home: "Home", end: "End", f1: "F1", f2: "F2", f3: "F3", f4: "F4",
};
const IN_REPLAYS = { Home: "home", End: "end", PageUp: "pageup", PageDown: "pagedown" };
const SCROLLS = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "];
const SETTINGS = "#settings"; // follows the address when a language has been chosen there
const LEAVES = ".stop:not(.go)"; // the look of the button that leaves
const COVERS = `.sheet, .reading, ${LEAVES}`; // the looks of what is in front of the table
const LANGUAGE = document.documentElement.lang.replace("-", "_");
const TOUCH = matchMedia("(pointer: coarse)");
const $ = (id) => document.getElementById(id);
const first = (looks) => document.querySelector(looks), each = (looks) => document.querySelectorAll(looks);

let socket = null, retryMs = 0, unanswered = [], hiddenAt = 0, isFinal = false, isBack = false;
const elements = new Map(); // by the names that the server gives them

// The token that brings a visitor back to the seat, and the ticket that brings one who is not let
// in yet back to the request; private windows may keep nothing.

const kept = {};
const token = (value) => keep("token", value);
const ticket = (value) => keep("ticket", value);

function keep(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(name) || kept[name] || "";
    localStorage.setItem(name, value);
  } catch { /* forgotten with the page */ }
  return (kept[name] = value ?? kept[name] ?? "");
}

// The connection

function open() {
  if (isFinal) return;
  if (socket) socket.onclose = socket.onmessage = null, socket.close();
  answered();
  const mine = (socket = new WebSocket(location.origin.replace("http", "ws") + "/socket"));
  mine.onopen = () => {
    const theme = matchMedia("(prefers-contrast: more)").matches ? "contrast"
      : matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
    isBack = true;
    say({
      is: "hello", language: LANGUAGE, theme, token: token(), ticket: ticket(), touch: TOUCH.matches,
      chosen: location.pathname !== "/", waits: document.body.dataset.stage === "enter",
      settings: location.hash === SETTINGS,
    });
    if (location.hash) history.replaceState(null, "", location.pathname);
  };
  mine.onmessage = (event) => {
    retryMs = 0;
    answered();
    $("lost").hidden = true;
    show(JSON.parse(event.data));
  };
  mine.onclose = (event) => {
    answered();
    if ((isFinal ||= event.code === 4000)) return; // open in another tab, or full: the page says so
    lose();
    setTimeout(() => mine === socket && open(), (retryMs = Math.min(retryMs + 250, LONGEST_RETRY_MS)));
  };
  expect();
}

function say(message) {
  if (!$("lost").hidden && message.is !== "here") $("lost").animate({ scale: [1, 1.15, 1] }, 300);
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify(message));
  expect(); // every message is answered
}

// A network that is gone says nothing, whatever the socket's state.

function expect() {
  if (!unanswered.length) unanswered = [setTimeout(lose, LATE_MS), setTimeout(open, ANSWER_MS)];
}

function answered() {
  unanswered.forEach(clearTimeout);
  unanswered = [];
}

function lose() {
  $("lost").hidden = false;
}

function beat() {
  say({ is: "here", touch: TOUCH.matches });
}

setInterval(() => {
  const isThere = ["ask", "enter", "table"].includes(document.body.dataset.stage);
  if (!document.hidden && isThere) beat();
}, BEAT_MS);

// A locked phone closes or forgets its connections without a word.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) hiddenAt = Date.now();
  else if (Date.now() - hiddenAt > 2000 || socket.readyState !== WebSocket.OPEN) open();
});
addEventListener("online", open);
addEventListener("offline", lose);
addEventListener("pageshow", (event) => event.persisted && open());

// Frames

function show(news) {
  if (news.ticket !== undefined) ticket(news.ticket);
  if (news.token) token(news.token), ticket("");
  if (news.language) {
    const from = first(".languages") ? SETTINGS : "";
    location.replace("/" + news.language + from);
  }
  if (news.stage) {
    document.body.dataset.stage = news.stage;
    isFinal = news.stage === "again"; // the server closes the connection
    $("note").textContent = news.note || "";
    const table = news.table ?? $("at").textContent;
    $("at").textContent = table === first("#door h1").textContent ? "" : table;
    if (!isBack) $("number").value = ""; // else it has not been answered
    isBack = false;
    if (news.stage === "table") document.activeElement.blur(), beat();
    else if (news.stage === "ask") $("name").focus(); // to wait is enough, without a keyboard
  }
  if (news.title) document.title = news.title;
  for (const [role, colour] of Object.entries(news.colours || {}))
    document.documentElement.style.setProperty(`--${role}`, colour);
  if (news.parts) update(news.parts);
  if (news.field !== undefined) field(news.field);
  for (const line of news.say || []) {
    $("said").append(make("p", line));
    while ($("said").children.length > 40) $("said").firstChild.remove();
  }
  if (news.bell && navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.(80);
}

function make(tag, text) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  return made;
}

// Elements that are still there stay the same, and so keep the focus, and how far they are scrolled.

function update(parts) {
  const covered = first(COVERS);
  for (const part of parts) put(part);
  for (const [id, one] of elements) if (!one.isConnected) elements.delete(id);
  if (covered && !first(COVERS)) settle();
  requestAnimationFrame(countCovered);
}

function put({ id, tag, look = "", text = "", act, name, role, off = false, of = [] }) {
  let one = elements.get(id);
  const isNew = one?.localName !== tag;
  if (isNew) {
    const before = one;
    elements.set(id, (one = make(tag)));
    if (before) before.replaceWith(one);
    else if (id === "0") $("page").append(one);
  }
  const comes = / see$/.test(look) && one.className !== look;
  one.className = look;
  attribute(one, "aria-label", name);
  attribute(one, "role", role);
  const isOnce = look === "told-once";
  if (isOnce) for (const told of inside(one)) if (Date.now() > due.get(told)) read.add(told);
  const { isConnected, textContent } = isOnce ? elements.get(of[0]) : one;
  if (!isConnected) read.delete(textContent), due.delete(textContent); // as a hint after “Undo”
  if (of.length) arrange(one, of.map((part) => elements.get(part)));
  else if (one.firstElementChild || one.textContent !== text) one.textContent = text;
  if (isOnce) {
    for (const told of one.children) told.classList.toggle("known", read.has(told.textContent));
    requestAnimationFrame(() => {
      const seen = inside(one), more = one.children.length - seen.length;
      seen.forEach((told) => due.has(told) || due.set(told, Date.now() + READ_MS));
      attribute(one.parentNode, "data-more", more && `+${more}`);
    });
  }
  if (tag === "button") {
    one.type = "button";
    one.disabled = off;
    const isMain = look.startsWith("go"); // not in a replay, where Enter has its own use
    does(one, act, isMain ? `${act} ${text}` : `${act}`, isMain ? ["key", "c-m"] : act);
  }
  if (comes) requestAnimationFrame(() => bring(one));
  if (comes || look.startsWith("orders")) requestAnimationFrame(() => first(".orders")?.scrollTo(0, 0));
  if (isNew && look === "main") room.disconnect(), room.observe(one);
  if (/\b(wide|long)$/.test(look)) one.tabIndex = 0; // keys scroll it
  // what covers something, or is scrolled by keys, takes the focus
  const isRead = look.includes("reading") || look === "told long";
  if (isNew && (isRead || role === "dialog")) one.tabIndex = isRead ? 0 : -1, setTimeout(() => one.focus());
}

// What is needed now is brought into view when that begins, and when the layout becomes another.
// Cups are also when what is said below them needs more room. Nothing else scrolls by itself.

const bring = (one) => one.scrollIntoView({ block: "nearest" });
const bringAll = (looks) => each(looks).forEach(bring);
const toTop = () => each(".main, .main *").forEach((one) => (one.scrollTop = 0));
for (const layout of ["(orientation: portrait)", "(min-width: 700px)", "(min-width: 1100px)", "(min-height: 600px)"])
  matchMedia(layout).addEventListener("change", () => (toTop(), bringAll(".see")));
const room = new ResizeObserver(() => (bringAll(".pour.see"), countCovered()));

// The cups say how many orders they cover, also in part, or are beyond an edge.

function countCovered() {
  const pour = first(".pour"), all = first(".orders");
  if (!pour) return;
  const place = (one) => one.getBoundingClientRect(), edge = place(all), top = place(pour).top + 9;
  const orders = [...each(".order")].map(place), left = edge.left - 1, right = edge.right + 1;
  const tell = (mark, is) => orders.some(is) && `${mark} +${orders.filter(is).length}`;
  attribute(pour, "data-more", all.scrollWidth > all.clientWidth
    ? tell("▸", (one) => one.right > right) || tell("◂", (one) => one.left < left)
    : tell("▾", (one) => one.bottom > top));
}
document.addEventListener("scroll", countCovered, true);

// What the guide has shown for a while, or until a tap, comes last when it says something else.

const read = new Set(), due = new Map();
const inside = (all) => [...all.children].filter((one) => one.checkVisibility() &&
  one.offsetLeft < all.clientWidth).map((one) => one.textContent);

function attribute(one, name, value) {
  if (value) one.setAttribute(name, value);
  else one.removeAttribute(name);
}

function arrange(one, parts) {
  if (one.firstChild && !one.firstElementChild) one.textContent = "";
  parts.forEach((part, at) => {
    if (one.children[at] !== part) one.insertBefore(part, one.children[at] || null);
  });
  while (one.children.length > parts.length) one.lastChild.remove();
}

// A button that has just come, or does something else now, lets taps fall through for a moment:
// they were meant for what was there before; what nobody has to tap, for longer. The main one
// always has the same key.

function does(button, act, what, [kind, key]) {
  if (button.dataset.act === what) return;
  button.dataset.act = what;
  attribute(button, "aria-keyshortcuts", kind === "key" && (NAMES[key] || key));
  button.onclick = () => {
    close({ target: document.body });
    each(".told-once").forEach((one) => inside(one).forEach((told) => due.set(told, 0)));
    say({ is: "click", kind: act[0], value: act[1] });
  };
  button.animate({ pointerEvents: ["none", "none"] }, button.matches(".beside") ? LATE_MS : SETTLE_MS);
}

// Once something has closed, the second of two quick taps hits nothing beneath it.

function settle() {
  $("page").animate({ pointerEvents: ["none", "none"] }, CLOSED_MS);
}

function field(wanted) {
  const was = $("field").hidden;
  $("field").hidden = !wanted;
  if (wanted && was) {
    first("#field label").textContent = wanted.label;
    $("text").maxLength = wanted.longest;
    $("text").value = wanted.text;
    $("text").focus();
    $("text").select(); // what is typed replaces it
  } else if (!wanted) $("text").blur(), was || settle();
}

// What the person does

function on(form, action) {
  $(form).addEventListener("submit", (event) => (event.preventDefault(), action(event)));
}
let role = "player";
for (const button of each("#ask button"))
  button.addEventListener("click", () => (role = button.value)); // Enter also clicks the first one
on("ask", () => say({ is: "ask", name: $("name").value, role }));
on("enter", () => say({ is: "enter", number: $("number").value }));
on("again", () => (isFinal = false, open())); // if the host is gone, the page stays, and tries on
on("field", () => say({ is: "text", text: $("text").value }));
on("command", () => (say({ is: "line", text: $("typed").value }), ($("typed").value = "")));
for (const id of ["cancel", "back"]) $(id).addEventListener("click", () => say({ is: "key", key: "escape" }));
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Escape") say({ is: "key", key: "escape" });
});

// What takes the focus by itself after a tap has no frame.
const tapped = (is) => document.body.classList.toggle("tapped", is);
document.addEventListener("pointerdown", () => tapped(true), true);
document.addEventListener("keydown", () => tapped(false), true);

let pressedAt = 0;
document.addEventListener("keydown", (event) => {
  const at = event.target.closest("button, summary, input, a");
  if (event.ctrlKey || event.metaKey || event.altKey || document.body.dataset.stage !== "table") return;
  if (at && (/INPUT|^A$/.test(at.tagName) || event.key === "Enter" || event.key === " ")) return;
  if (SCROLLS.includes(event.key) && first(".reading")) return;
  if (event.target.matches(".wide, .long") && isScrolled(event.target, event.key)) return;
  if (event.key === "Escape") close({ target: document.body });
  const more = first(".replayed") ? IN_REPLAYS : {};
  const key = KEYS[event.key] || more[event.key] || ([...event.key].length === 1 ? event.key : "");
  if (!key) return;
  event.preventDefault();
  const main = event.key === "Enter" && first("#page button[class^=go]");
  if (main) return event.repeat || main.click(); // it does all that a tap on it would
  if (event.repeat && event.timeStamp < pressedAt + PACE_MS) return;
  pressedAt = event.timeStamp;
  say({ is: "key", key });
});

function isScrolled(one, key) {
  if (/^Arrow(Left|Right)$/.test(key)) return one.scrollWidth > one.clientWidth;
  return /^Arrow(Up|Down)$/.test(key) && one.scrollHeight > one.clientHeight;
}

// Else Enter would press the last clicked button again.
document.addEventListener("mousedown", (event) => event.target.closest("button") && event.preventDefault());

// What is opened closes by Esc, or when something else is tapped. That tap then leaves it alone,
// unless it is a button beside it, which was not covered.

function close(event) {
  const more = first("details.more[open]");
  if (!more || more.contains(event.target)) return;
  more.open = false;
  settle();
  if (event.detail && !event.target.closest(".row")) event.stopPropagation(), event.preventDefault();
}
document.addEventListener("click", close, true);

// A tap that does nothing else takes back the question whether to leave; not the second of a double
// tap, which the button that has just come lets through.
document.addEventListener("click", (event) => {
  const asks = first(LEAVES);
  if (asks && !asks.getAnimations().length && !event.target.closest("button")) say({ is: "key", key: "escape" });
});

// While others play, one skips what is still to be shown of their moves.
document.addEventListener("click", (event) => {
  if (first(".watched") && !event.target.closest("button, summary, input, a")) say({ is: "skip" });
});

// A tap anywhere ends a moment; where it falls, it does what it always does.
document.addEventListener("pointerdown", () => {
  for (const one of each(".moments > *")) one.hidden = true;
});

open();
