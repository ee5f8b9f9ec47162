// The page at /: shows the rows of a canvas, and says what is tapped and typed. It knows no rule
// and no text: frames and words come from the server (frame.py, page.py).
"use strict";

const CELL = 9, ROW = 24, LEAST_COLUMNS = 40, LEAST_ROWS = 12; // pixels; the smallest layout
const ANSWER_MS = 4000, LONGEST_RETRY_MS = 3000, BEAT_MS = 3000, SETTLE_MS = 300, PACE_MS = 40;
const KEYS = {
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Enter: "c-m",
  Escape: "escape", Backspace: "c-h", PageUp: "pageup", PageDown: "pagedown", F1: "f1", F2: "f2",
  F3: "f3", F4: "f4", F6: "c-i",
};
const FIRST_KEYS = ["c-m", " ", "u"];
const SIDEWAYS = "(orientation: landscape) and (max-height: 599px)"; // as in page.css
const LANGUAGE = document.documentElement.lang.replace("-", "_");
const $ = (id) => document.getElementById(id);

let socket = null, retryMs = 0, unanswered = 0, hiddenAt = 0, isFinal = false, isBack = false;
let pens = [], offered = [], columns = 0, rows = 0;
// The colours are added to page.css: the policy of the page allows no style of its own, and not
// every browser can make a style sheet.
const sheet = document.styleSheets[0], OWN_RULES = sheet.cssRules.length;

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
    measure();
    isBack = true;
    say({
      is: "hello", language: LANGUAGE, theme, columns, rows, token: token(), ticket: ticket(),
      chosen: location.pathname !== "/", waits: document.body.dataset.stage === "enter",
    });
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
    $("lost").hidden = false;
    setTimeout(() => mine === socket && open(), (retryMs = Math.min(retryMs + 250, LONGEST_RETRY_MS)));
  };
  expect();
}

function say(message) {
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify(message));
  expect(); // every message is answered
}

// A network that is gone says nothing, whatever the socket's state.

function expect() {
  unanswered ||= setTimeout(() => ($("lost").hidden = false, open()), ANSWER_MS);
}

function answered() {
  clearTimeout(unanswered);
  unanswered = 0;
}

function beat() {
  say({ is: "size", columns, rows, touch: matchMedia("(pointer: coarse)").matches });
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
addEventListener("pageshow", (event) => event.persisted && open());

// Frames

function show(news) {
  if (news.ticket !== undefined) ticket(news.ticket);
  if (news.token) token(news.token), ticket("");
  if (news.language) location.replace("/" + news.language);
  if (news.stage) {
    document.body.dataset.stage = news.stage;
    isFinal = news.stage === "again"; // the server closes the connection
    $("note").textContent = news.note || "";
    if (!isBack) $("number").value = ""; // else it has not been answered
    isBack = false;
    if (news.stage === "table") document.activeElement.blur(), beat();
    else document.querySelector(`#${news.stage} input`)?.focus();
  }
  if (news.title) document.title = news.title;
  if (news.size) {
    $("rows").replaceChildren(...Array.from({ length: news.size[1] }, () => make("div")));
    pens = [];
    while (sheet.cssRules.length > OWN_RULES) sheet.deleteRule(OWN_RULES);
  }
  for (const [pen, ink, paper, attributes] of news.pens || []) {
    pens[pen] = `pen${pen} ${attributes}`;
    rule(`.pen${pen} { color: ${ink}; background: ${paper}; }`);
    if (pen === 0) rule(`#screen { background: ${paper}; }`);
  }
  for (const [y, runs] of news.rows || [])
    $("rows").children[y].replaceChildren(...runs.map(([pen, text, cells]) => run(pen, text, cells)));
  if (news.buttons) zones(news.buttons);
  if (news.field !== undefined) field(news.field);
  if (news.keys || news.field !== undefined) bar((offered = news.keys || offered));
  for (const line of news.say || []) {
    $("said").append(make("p", line));
    while ($("said").children.length > 40) $("said").firstChild.remove();
  }
  if (news.bell && navigator.vibrate) navigator.vibrate(80);
}

function rule(text) {
  sheet.insertRule(text, sheet.cssRules.length);
}

function make(tag, text) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  return made;
}

function run(pen, text, cells) {
  const made = make("span", text);
  const letters = [...text].length;
  made.className = pens[pen];
  if (cells > letters) made.classList.add("wide");
  else if (letters === 1 && text > "~") made.classList.add("one");
  if (text >= "\u2500" && text < "\u2580") made.classList.add("box");
  made.style.width = `calc(${cells || letters} * var(--cell))`;
  return made;
}

// Buttons that are still there keep their element, and so the focus.

function update(parent, wanted, make) {
  const old = new Map([...parent.children].map((one) => [one.dataset.id, one]));
  wanted.forEach(([id, ...rest], at) => {
    const button = old.get(id) || document.createElement("button");
    old.delete(id);
    button.type = "button";
    button.dataset.id = id;
    make(button, ...rest);
    if (parent.children[at] !== button) parent.insertBefore(button, parent.children[at] || null);
  });
  old.forEach((one) => one.remove());
}

function zones(list) {
  const ids = {};
  const wanted = list.map(([x, y, w, h, kind, value, name]) => {
    const id = `${kind} ${value}`, count = (ids[id] = (ids[id] || 0) + 1);
    return [`${id} ${count}`, x, y, w, h, kind, value, name];
  });
  update($("buttons"), wanted, (button, x, y, w, h, kind, value, name) => {
    Object.assign(button.style, {
      left: `calc(${x} * var(--cell))`, top: `calc(${y} * var(--row))`,
      width: `calc(${w} * var(--cell))`, height: `calc(${h} * var(--row))`,
    });
    button.ariaLabel = name;
    button.onclick = () => say({ is: "click", kind, value });
  });
}

// The keys of a turn keep their places, so that a finger does not meet another one there. A key
// that has just come or moved lets taps fall through for a moment: they were meant for another.
// The bar is as large as its keys need, and stays so, so that the table does not jump.

function bar(list) {
  if (!$("field").hidden) list = list.filter(([key]) => !["c-m", "escape"].includes(key)); // it has them
  const before = places();
  const others = list.filter(([key]) => !FIRST_KEYS.includes(key));
  const first = FIRST_KEYS.map((key) => list.find((one) => one[0] === key) || [key]);
  update($("keys"), [...first, ...others], (button, cap, label) => {
    button.hidden = button.disabled = !cap;
    button.replaceChildren(make("kbd", cap), make("span", label));
    const key = button.dataset.id;
    button.onclick = () => say({ is: "key", key });
  });
  settle();
  if (before.size)
    for (const [button, place] of places())
      if (before.get(button) !== place) button.animate({ pointerEvents: ["none", "none"] }, SETTLE_MS);
}

function settle() {
  const { style, offsetWidth, offsetHeight } = $("keys"), wide = matchMedia(SIDEWAYS).matches;
  style.minWidth = wide ? `${offsetWidth}px` : "";
  style.minHeight = wide ? "" : `${offsetHeight}px`;
}

addEventListener("resize", () => {
  $("keys").style.minWidth = $("keys").style.minHeight = "";
  settle();
});

function places() {
  return new Map([...$("keys").children].map((one) => [one, `${one.offsetLeft} ${one.offsetTop}`]));
}

function field(wanted) {
  const was = $("field").hidden;
  $("field").hidden = !wanted;
  if (wanted && was) {
    document.querySelector("#field label").textContent = wanted.label;
    $("text").maxLength = wanted.longest;
    $("text").value = wanted.text;
    $("text").focus();
  } else if (!wanted) $("text").blur();
}

// What the person does

function on(form, action) {
  $(form).addEventListener("submit", (event) => (event.preventDefault(), action(event)));
}
let role = "player";
for (const button of document.querySelectorAll("#ask button"))
  button.addEventListener("click", () => (role = button.value)); // Enter clicks the first one, too
on("ask", () => say({ is: "ask", name: $("name").value, role }));
on("enter", () => say({ is: "enter", number: $("number").value }));
on("again", () => location.reload());
on("field", () => say({ is: "text", text: $("text").value }));
on("command", () => (say({ is: "line", text: $("typed").value }), ($("typed").value = "")));
$("cancel").addEventListener("click", () => say({ is: "key", key: "escape" }));
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Escape") say({ is: "key", key: "escape" });
});

let pressedAt = 0;
document.addEventListener("keydown", (event) => {
  const at = event.target.closest("button, input, a");
  if (event.ctrlKey || event.metaKey || event.altKey || document.body.dataset.stage !== "table") return;
  if (at && (at.tagName !== "BUTTON" || event.key === "Enter" || event.key === " ")) return;
  const key = KEYS[event.key] || ([...event.key].length === 1 ? event.key : "");
  if (!key) return;
  event.preventDefault();
  if (event.repeat && event.timeStamp < pressedAt + PACE_MS) return;
  pressedAt = event.timeStamp;
  say({ is: "key", key });
});
// Else Enter would press the last clicked button again.
document.addEventListener("mousedown", (event) => event.target.closest("button") && event.preventDefault());

let touched = 0;
$("screen").addEventListener("touchstart", (event) => (touched = event.touches[0].clientY), { passive: true });
$("screen").addEventListener("touchmove", (event) => {
  const moved = Math.trunc((touched - event.touches[0].clientY) / ROW);
  if (moved && event.touches.length === 1) touched -= moved * ROW, scroll(moved);
}, { passive: true });
$("screen").addEventListener("wheel", (event) => scroll(Math.sign(event.deltaY)), { passive: true });

// What comes as fast as the hardware can is sent slowly: the server cuts a page that says too much.

function paced(action) {
  let waiting = 0;
  return () => (waiting = waiting || setTimeout(() => (waiting = 0, action()), PACE_MS));
}

let turned = 0;
const wheel = paced(() => {
  if (turned) say({ is: "wheel", lines: Math.sign(turned) });
  turned = 0;
});
function scroll(lines) {
  turned += lines;
  wheel();
}

// How many cells there is room for

function measure() {
  const probe = make("span", "0".repeat(100));
  probe.style.cssText = "position: absolute; visibility: hidden; font-size: 100px;";
  $("rows").after(probe);
  probe.style.fontFamily = getComputedStyle($("rows")).fontFamily;
  const perPixel = probe.getBoundingClientRect().width / 10000;
  probe.remove();
  const width = $("screen").clientWidth || innerWidth, height = $("screen").clientHeight || innerHeight;
  columns = Math.min(Math.max(Math.floor(width / CELL), LEAST_COLUMNS), 240);
  rows = Math.min(Math.max(Math.floor(height / ROW), LEAST_ROWS), 119) + 1; // the last is the footer
  const cell = width / columns;
  $("screen").style.setProperty("--cell", `${cell}px`);
  $("screen").style.setProperty("--row", `${Math.max(Math.floor(height / (rows - 1)), ROW)}px`);
  $("screen").style.setProperty("--font", `${cell / perPixel}px`);
}

const resized = paced(() => document.body.dataset.stage === "table" && beat());
new ResizeObserver(() => {
  const before = [columns, rows].join();
  measure();
  if (before !== [columns, rows].join()) resized();
}).observe($("screen"));

open();
