import { qwen } from "../../../src/agents/qwen/qwen.ts";
import { checkExpected } from "../../support/check-expected.ts";

checkExpected(qwen, 10);
