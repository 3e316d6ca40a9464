import { codexFormat } from "../../../src/agents/codex/codex.ts";
import { checkTwins } from "../../support/format-twins.ts";

checkTwins(codexFormat, 15);
