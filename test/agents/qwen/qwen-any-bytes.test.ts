import { qwen } from "../../../src/agents/qwen/qwen.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(qwen);
