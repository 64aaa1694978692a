"use strict";
// Shows what the sandbox holds, and asks for it again every two seconds. All data become text nodes, never markup.

const tabs = [...document.querySelectorAll("[role=tab]")];
const chosen = { mail: null, files: null, calendar: null, requests: null };
let state = null;
let text = "";

/** A text with escapes for characters that control a terminal or change the direction of the text around them. */
const plain = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** An element with attributes and children; texts become text nodes. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") element.addEventListener("click", value);
    else if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined)
    .map((child) => typeof child === "string" ? plain(child) : child));
  return element;
}

const size = (bytes) =>
  bytes < 1000 ? `${bytes} bytes` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
const time = (text) => new Date(text).toLocaleTimeString();
const one = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

function terms(pairs) {
  const list = make("dl");
  for (const [name, value] of pairs) {
    if (value === "" || value === null || value === undefined || value.length === 0) continue;
    list.append(make("dt", {}, name), make("dd", {}, ...(Array.isArray(value) ? value : [value])));
  }
  return list;
}

/** One entry of a list, and what happens when it is chosen. */
function entry(panel, id, show, ...children) {
  const open = () => {
    chosen[panel] = id;
    for (const item of document.querySelectorAll(`#${panel} .item`)) {
      item.setAttribute("aria-current", item.dataset.id === String(id));
    }
    show();
  };
  return make("button", { class: "item", "data-id": id, "aria-current": chosen[panel] === id, onclick: open }, ...children);
}

function fill(panel, children, empty) {
  const list = document.querySelector(`#${panel} .list`);
  const place = list.scrollTop;
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.id : null;
  list.replaceChildren(...(children.length ? children : [make("p", { class: "empty" }, empty)]));
  list.scrollTop = place;
  if (focused) list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
}

const detail = (panel, ...children) => document.querySelector(`#${panel} .detail`).replaceChildren(...children);

function showMail(mail) {
  const parts = mail.attachments.map((file, index) => {
    const address = `/sandbox/mails/${mail.number}/attachments/${index}`;
    const isImage = /^image\/(png|jpeg|gif|webp|bmp)$/.test(file.contentType);
    return make("li", {},
      make("a", { href: address, target: "_blank" }, file.name), ` ${file.contentType}, ${size(file.size)}`,
      isImage ? make("img", { class: "preview", src: address, alt: file.name }) : null);
  });
  const twice = mail.deliveries > 1
    ? make("p", { class: "bad" }, make("b", {}, `Exactly this mail was sent ${mail.deliveries} times.`)) : null;
  detail("mail", ...[
    make("h2", {}, mail.subject || "(no subject)"), twice,
    terms([["From", mail.from], ["To", mail.to.join(", ")], ["Cc", mail.cc.join(", ")], ["Bcc", mail.bcc.join(", ")],
      ["Reply to", mail.replyTo.join(", ")], ["Sent", new Date(mail.sentDateTime).toLocaleString()],
      ["Importance", mail.importance === "normal" ? "" : mail.importance],
      ["Sent Items", mail.saveToSentItems ? "a copy is kept" : "no copy is kept"]]),
    make("iframe", { sandbox: "allow-popups allow-popups-to-escape-sandbox", title: "The mail as its reader sees it",
      src: `/sandbox/mails/${mail.number}` }),
    parts.length ? make("h2", {}, one(parts.length, "attachment")) : null, parts.length ? make("ul", {}, ...parts) : null,
  ].filter(Boolean));
}

function showFile(file) {
  const address = `/files/${encodeURIComponent(file.id)}`;
  const preview = /^image\//.test(file.detectedType)
    ? make("img", { class: "preview", src: address, alt: file.name })
    : file.detectedType === "text/plain"
      ? make("iframe", { sandbox: "", title: `The content of ${file.name}`, src: address }) : null;
  const links = file.links.map((link) => make("li", {},
    make("a", { href: link.webUrl, target: "_blank", rel: "noreferrer" }, link.webUrl),
    ` ${link.type}, ${link.scope}${link.hasPassword ? ", with a password" : ""}`
      + (link.expirationDateTime ? `, until ${link.expirationDateTime}` : "")));
  detail("files", ...[
    make("h2", {}, file.name),
    terms([["Path", file.path], ["Owner", file.owner], ["Type", file.contentType], ["Size", size(file.size)],
      ["Version", String(file.version)], ["SHA-256", make("span", { class: "mono" }, file.sha256)],
      ["Content", make("a", { href: address, target: "_blank" }, "open")]]),
    preview, make("h2", {}, one(links.length, "sharing link")), make("ul", {}, ...links),
  ].filter(Boolean));
}

/** The files of one folder, its folders first. */
function folder(files, depth) {
  const inside = new Map();
  const here = [];
  for (const file of files) {
    const parts = file.path.split("/").slice(1);
    if (parts.length - 1 > depth) inside.set(parts[depth], [...(inside.get(parts[depth]) ?? []), file]);
    else here.push(file);
  }
  return [
    ...[...inside].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, files]) =>
      make("details", { open: "" }, make("summary", {}, `${name}/`), ...folder(files, depth + 1))),
    ...here.map((file) => entry("files", file.id, () => showFile(file), make("b", {}, file.name),
      make("small", {}, `${size(file.size)}, version ${file.version}`
        + (file.links.length ? `, ${one(file.links.length, "link")}` : "")))),
  ];
}

const moment = (point) => point ? `${point.dateTime} ${point.timeZone}` : "";

function showEvent(event) {
  detail("calendar", make("h2", {}, event.subject || "(no subject)"),
    terms([["Calendar", event.calendar], ["Start", moment(event.start)], ["End", moment(event.end)],
      ["Location", event.location], ["Attendees", event.attendees.join(", ")],
      ["Repeats", event.isRecurring ? "yes" : ""]]),
    ...(event.text ? [make("pre", {}, event.text)] : []));
}

/** A table with a row of texts for each element. */
const table = (names, rows) => make("table", {},
  make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)))),
  make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((text) => make("td", {}, text ?? ""))))));

async function showRequest(number) {
  const answer = await fetch(`/sandbox/requests/${number}`);
  if (!answer.ok) return detail("requests", make("p", { class: "empty" }, "This request is no longer kept."));
  const exchange = await answer.json();
  const side = (title, part) => [make("h2", {}, title),
    make("pre", {}, Object.entries(part.headers).map(([name, value]) => `${name}: ${value}`).join("\n")),
    part.body ? make("pre", {}, part.body) : make("p", { class: "soft" }, "no body, or one that is not kept")];
  detail("requests", make("h2", { class: "mono" }, `${exchange.method} ${exchange.path}`),
    terms([["Time", new Date(exchange.dateTime).toLocaleString()],
      ["Answer", exchange.status === null ? exchange.outcome : `${exchange.status}, ${exchange.outcome}`]]),
    ...side("Request", exchange.request), ...side("Answer", exchange.answer));
}

function render() {
  document.getElementById("profile").textContent =
    `A Microsoft Graph in memory. Nothing here leaves this machine. Profile ${state.profile}: ${state.summary}.`;
  for (const element of document.querySelectorAll(".origin")) element.textContent = location.origin;
  const count = (tab, number) => { document.querySelector(`#tab-${tab} span`).textContent = number ? number : ""; };
  count("mail", state.mailCount);
  count("files", state.fileCount);
  count("calendar", state.eventCount);
  count("people", state.userCount);
  count("requests", state.requestCount);
  count("faults", state.faults.length);
  fill("mail", state.mails.map((mail) => entry("mail", mail.number, () => showMail(mail),
    make("b", {}, mail.subject || "(no subject)"),
    make("small", {}, `to ${mail.to.concat(mail.cc, mail.bcc).join(", ")} · ${time(mail.sentDateTime)}`
      + (mail.attachments.length ? ` · ${one(mail.attachments.length, "attachment")}` : "")),
    mail.deliveries > 1 ? make("span", { class: "badge bad" }, `sent ${mail.deliveries} times`) : null)),
  "No mail was sent yet.");
  const owners = [...new Set(state.files.map((file) => file.owner))];
  fill("files", owners.map((owner) => make("details", { open: "" }, make("summary", {}, owner),
    ...folder(state.files.filter((file) => file.owner === owner), 0))), "No file was uploaded yet.");
  fill("requests", state.requests.map((item) => entry("requests", item.number, () => showRequest(item.number),
    make("b", { class: "mono" }, `${item.method} ${item.path}`),
    make("small", { class: item.status === null || item.status >= 400 ? "bad" : "" },
      `${item.status ?? item.outcome} · ${time(item.dateTime)}`))), "Nothing was requested yet.");
  fill("calendar", state.events.map((event) => entry("calendar", event.id, () => showEvent(event),
    make("b", {}, event.subject || "(no subject)"),
    make("small", {}, `${moment(event.start)} · ${event.calendar}`))), "No event is in a calendar yet.");
  document.getElementById("people").replaceChildren(
    make("p", { class: "soft" }, state.userCount > state.users.length
      ? `The first ${state.users.length} of ${state.userCount} users.` : one(state.userCount, "user") + "."),
    table(["Name", "Mail", "Job title", "Department", "Manager", "Licences", "Id"], state.users.map((user) =>
      [user.displayName, user.mail, user.jobTitle, user.department, user.manager, user.licences.join(", "), user.id])),
    make("h2", {}, one(state.groups.length, "group")),
    table(["Name", "Mail", "Description", "Members"], state.groups.map((group) =>
      [group.displayName, group.mail, group.description, group.members.join(", ")])));
  document.getElementById("waiting").replaceChildren(...(state.faults.length ? state.faults : ["none"]).map(
    (fault) => make("li", { class: state.faults.length ? "mono" : "soft" }, fault)));
}

const ended = "The sandbox does not answer: it has probably ended, and what it held is gone.";
const said = document.getElementById("status");
const say = (message) => { said.textContent = message; };

async function load() {
  try {
    const answer = await fetch("/sandbox/state");
    const latest = await answer.text();
    // What a change was refused for stays until the next change: a person may still be reading it.
    if (said.textContent === ended) say("");
    if (latest === text) return;
    text = latest;
    state = JSON.parse(latest);
    render();
  } catch {
    say(ended);
  }
}

/** Changes something; the content type is one that no other site can make a browser send. */
async function change(method, path, body) {
  say("");
  try {
    const answer = await fetch(path, { method, headers: { "Content-Type": "application/json" }, body });
    if (!answer.ok) say((await answer.json()).error ?? `It answered ${answer.status}.`);
    else await load();
    return answer.ok;
  } catch {
    say(ended);
    return false;
  }
}

/** The address of a tab; no element has such an id, to which the browser would scroll. */
const place = (tab) => `#/${tab.getAttribute("aria-controls")}`;

function choose(tab, takesFocus) {
  for (const other of tabs) {
    other.setAttribute("aria-selected", other === tab);
    other.tabIndex = other === tab ? 0 : -1;
    document.getElementById(other.getAttribute("aria-controls")).hidden = other !== tab;
  }
  if (takesFocus) tab.focus();
}

for (const tab of tabs) {
  tab.addEventListener("click", () => { location.hash = place(tab); });
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    history.replaceState(null, "", place(next));
    choose(next, true);
  });
}
const current = () => tabs.find((tab) => place(tab) === location.hash) ?? tabs[0];
addEventListener("hashchange", () => choose(current(), false));

const presets = [
  ["No photo", "GET /me/photo* 404"], ["Throttle three requests", "* * 429 x3 retry-after=2"],
  ["Upload fails once", "PUT * 503"], ["No permission to share", "POST *createLink 403"],
  ["Mail: the answer is lost", "POST *send* drop processed"], ["Everything is slow", "* * 200 x20 delay=2"],
  ["The token has expired", "* * 401"], ["Cut answers off", "GET * truncate x2"],
];
document.getElementById("presets").append(...presets.map(([name, fault]) => make("button",
  { class: "quiet", title: fault, onclick: () => change("POST", "/sandbox/faults", JSON.stringify(fault)) }, name)));
document.getElementById("fault").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = document.getElementById("fault-text");
  if (await change("POST", "/sandbox/faults", JSON.stringify(field.value))) field.value = "";
});
document.getElementById("no-faults").addEventListener("click", () => change("DELETE", "/sandbox/faults"));
document.getElementById("reset").addEventListener("click", async () => {
  if (!confirm("Forget all mails, files and requests, and play the first faults again?")) return;
  if (await change("DELETE", "/sandbox")) for (const panel of ["mail", "files", "requests"]) detail(panel);
});

choose(current(), false);
load();
setInterval(() => { if (!document.hidden) load(); }, 2000);
