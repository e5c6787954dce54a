"use strict";
// What was replayed, as read from the page. Nothing of it is ever parsed as markup.
const DATA = JSON.parse(document.getElementById("data").textContent);
const WRITES = DATA.writes;
const $ = (id) => document.getElementById(id);
const count = (n) => n.toLocaleString("en-US");

function el(tag, attributes, ...kids) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  for (const kid of kids.flat()) if (kid !== null && kid !== undefined) made.append(kid);
  return made;
}

function stamp(seconds, precise) {
  if (seconds === null || seconds === undefined) return "";
  const text = new Date(seconds * 1000).toISOString();
  return text.slice(0, 10) + " " + text.slice(11, precise ? 23 : 19) + " UTC";
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function sharp(canvas, width, height) {
  // A canvas with as many pixels as the screen has, in units of CSS pixels.
  const scale = Math.max(1, window.devicePixelRatio || 1);
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  return pen;
}

const plural = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`;

// The worst that a write meets: deny, averted (denied but for the policy), warn or audit.
function effectOf(write) {
  if (!write.allowed) return "deny";
  if (write.would_deny.length) return "averted";
  return write.findings.some((f) => f.severity === "warn") ? "warn" : "audit";
}

const EFFECTS = { deny: "denied", averted: "denied, not enforced", warn: "warned", audit: "audited" };
const REDRAWN = [];
const redraw = () => REDRAWN.forEach((draw) => draw());

for (const write of WRITES) {
  write.effect = effectOf(write);
  write.what = `${write.kind}${write.subresource ? "/" + write.subresource : ""} ${write.namespace ? write.namespace + "/" : ""}${write.name}`;
  const said = write.findings.map((f) => `${f.rule} ${f.field} ${f.message}`).join(" ");
  write.text = `${write.user} ${write.operation} ${write.what} ${said} ${write.uid}`.toLowerCase();
}
