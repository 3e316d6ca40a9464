import { codexFormat } from "../../../src/agents/codex/codex-format.ts";
import { checkTwins } from "../../support/format-twins.ts";

checkTwins(codexFormat, 15);
