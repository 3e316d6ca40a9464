#!/usr/bin/env node
import process from "node:process";
import { start } from "./run.ts";

await start(process);
