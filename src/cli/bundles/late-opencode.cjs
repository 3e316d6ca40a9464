/*
 * Bundles have this in place of what reads opencode's databases (`apart` in build.mjs), which is loaded when one has
 * changed: no other command should load it for nothing.
 */
exports.writeLogs = (...args) => require("./opencode.cjs").writeLogs(...args);
