/*
 * Required into a process of the bundle: counts its changing calls to the file system and ends it with SIGKILL
 * instead of the n-th. Written in CommonJS, because --require takes nothing else.
 *
 *   CRASH_FOLDER   where each process notes that it lives (`<pid>.<role>`), and at its end how many calls it made
 *   CRASH_ROLE     who is to die: `command` (the process that was started) or `guard` (which that one starts)
 *   CRASH_AT       at which call, from 0; more than there are: nobody dies
 *   CRASH_INSIDE   only calls below this folder count
 */
const fs = require("node:fs");
const path = require("node:path");
const process = require("node:process");
const children = require("node:child_process");

const { CRASH_FOLDER = "", CRASH_ROLE, CRASH_AT = "Infinity", CRASH_INSIDE = "", CRASH_CHILD } = process.env;
const role = CRASH_CHILD === undefined ? "command" : process.argv[2] === "guard" ? "guard" : "other";
const isVictim = role === CRASH_ROLE;
process.env.CRASH_CHILD = "1";

const real = { ...fs };
const note = (pid, name, text = "") => real.writeFileSync(path.join(CRASH_FOLDER, `${pid}.${name}`), text);
note(process.pid, role);

// A process that was started but has not come so far as to note that it lives.
const { spawn } = children;
children.spawn = (...args) => {
  const child = spawn(...args);
  if (child.pid !== undefined) note(child.pid, "started");
  return child;
};

let made = 0;
const handles = new Map();
const isInside = (name) => typeof name === "string" && name.startsWith(CRASH_INSIDE);

const die = (call) => {
  note(process.pid, "died", call);
  process.kill(process.pid, "SIGKILL");
  // The signal comes before the next call to the system returns.
  for (;;) real.statSync("/");
};
const count = (call, before) => {
  if (made++ !== Number(CRASH_AT) || !isVictim) return;
  before?.();
  die(call);
};

for (const name of [
  "mkdirSync",
  "unlinkSync",
  "rmdirSync",
  "chmodSync",
  "chownSync",
  "utimesSync",
  "renameSync",
  "linkSync",
]) {
  fs[name] = (first, ...rest) => {
    if (isInside(first))
      count(`${name} ${first} ${name === "renameSync" || name === "linkSync" ? rest[0] : ""}`);
    return real[name](first, ...rest);
  };
}
fs.openSync = (name, flags, ...rest) => {
  const writes = typeof flags === "string" && flags !== "r";
  if (writes && isInside(name)) count(`openSync ${name}`);
  const handle = real.openSync(name, flags, ...rest);
  if (isInside(name)) handles.set(handle, name);
  return handle;
};
fs.closeSync = (handle) => {
  handles.delete(handle);
  return real.closeSync(handle);
};
fs.writeSync = (handle, bytes, offset, length, ...rest) => {
  const name = handles.get(handle);
  // Half of it gets there.
  if (name !== undefined)
    count(`writeSync ${name}`, () => real.writeSync(handle, bytes, offset, length >> 1, ...rest));
  return real.writeSync(handle, bytes, offset, length, ...rest);
};
fs.fsyncSync = (handle) => {
  // Nobody pulls the plug here, and waiting for the disk would be most of the time.
  const name = handles.get(handle);
  if (name === undefined) return real.fsyncSync(handle);
  count(`fsyncSync ${name}`);
};

process.on("exit", () => note(process.pid, "calls", String(made)));
