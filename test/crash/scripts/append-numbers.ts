import fs from "node:fs";
import process from "node:process";

/** Opens each of some files every 5 ms, appends a numbered line and closes it; ends when its input does. */
const paths = process.argv.slice(2);
let number = 0;
const timer = setInterval(() => {
  for (const path of paths) {
    const handle = fs.openSync(path, "a");
    fs.writeSync(handle, `{"type":"number","n":${number}}\n`);
    fs.closeSync(handle);
  }
  if (number++ === 0) process.stdout.write("begun\n");
}, 5);
process.stdin.resume();
process.stdin.once("end", () => {
  clearInterval(timer);
  process.stdout.write(`${number}\n`);
});
