import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { makeAgentHome } from "./support/agent-home.ts";
import { askClaude, linesOf, rest, saidByContext, saidIn } from "./support/claude.ts";

/** A log with three turns; what Claude Code writes when its user goes back is added by hand, because only its own screen does that. */
test("`show --context` ends where the user went back to, as the next request of Claude Code does", async () => {
  const home = await makeAgentHome();
  const { id, log } = await askClaude(home, "first thing");
  for (const prompt of ["second thing", "third thing"]) await askClaude(home, prompt, ["--resume", id]);
  const lines = linesOf(log);
  const requests = lines.filter(({ type }) => type === "user");
  const [first, second, third] = requests.map(({ uuid, parentUuid }) => ({ uuid, parentUuid }));
  const checkpoint = { type: "last-prompt", lastPrompt: "third thing", sessionId: id };
  const isBack = { explicit: true, rewound: true };
  const before = lines.length;
  const back = [
    { line: { ...checkpoint, leafUuid: third?.parentUuid, ...isBack, cutUuid: third?.uuid }, turns: 2 },
    { line: { ...checkpoint, leafUuid: second?.parentUuid, ...isBack, cutUuid: second?.uuid }, turns: 1 },
    // Without the mark it says only where the conversation was.
    { line: { ...checkpoint, leafUuid: lines.at(-1)?.uuid ?? requests.at(-1)?.uuid }, turns: 3 },
    { line: { ...checkpoint, leafUuid: null, ...isBack, cutUuid: first?.uuid }, turns: 0 },
  ];
  for (const { line, turns } of back) {
    appendFileSync(log, `${JSON.stringify(line)}\n`);
    rest(log);
    const promised = await saidByContext(home, id);
    expect(promised).toHaveLength(2 * turns);
    // A fork, so that the next step finds the log as it is.
    const { requests: sent } = await askClaude(home, "what comes next?", ["--resume", id, "--fork-session"]);
    expect(saidIn(sent[0] ?? expect.fail("the agent asked nothing"))).toEqual([
      ...promised,
      "user: what comes next?",
    ]);
  }
  expect(linesOf(log)).toHaveLength(before + back.length);

  // What is asked next follows the place that was gone back to, and so does what is shown.
  appendFileSync(log, `${JSON.stringify(back[1]?.line)}\n`);
  rest(log);
  await askClaude(home, "another second thing", ["--resume", id]);
  rest(log);
  const promised = await saidByContext(home, id);
  const { requests: sent } = await askClaude(home, "go on", ["--resume", id]);
  expect(saidIn(sent[0] ?? expect.fail("the agent asked nothing"))).toEqual([...promised, "user: go on"]);
  expect(promised.join("\n")).toContain("another second thing");
  expect(promised.join("\n")).not.toContain("third thing");
  rest(log);

  // A copy that is made of a session that went back goes on from there, too.
  appendFileSync(log, `${JSON.stringify({ ...back[1]?.line, leafUuid: second?.parentUuid })}\n`);
  rest(log);
  const { fork } = await home.json(["compact", id, "--fork", "--force"]);
  const copy = JSON.parse(JSON.stringify(fork)) as { sessionId: string; source: string };
  rest(copy.source);
  const inCopy = await saidByContext(home, copy.sessionId);
  const resumed = await askClaude(home, "go on", ["--resume", copy.sessionId]);
  expect(saidIn(resumed.requests[0] ?? expect.fail("the agent asked nothing"))).toEqual([
    ...inCopy,
    "user: go on",
  ]);
  expect(inCopy).toHaveLength(2);
});
