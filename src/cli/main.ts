#!/usr/bin/env node
import process from "node:process";
import { start } from "./start.ts";

await start(process);
