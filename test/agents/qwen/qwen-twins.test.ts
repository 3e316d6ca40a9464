import { qwen } from "../../../src/agents/qwen/qwen.ts";
import { checkTwins } from "../../support/format-twins.ts";

checkTwins(qwen, 10);
