import { pi } from "../../../src/agents/pi/pi.ts";
import { checkExpected } from "../../support/check-expected.ts";

checkExpected(pi, 17);
