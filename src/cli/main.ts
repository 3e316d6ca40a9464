#!/usr/bin/env node
import process from "node:process";
import { run } from "./program.ts";

await run(process);
