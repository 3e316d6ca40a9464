import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeDisk } from "../../src/fs/node-disk.ts";
import { checkoutInLog, findCheckout, projectLabel, repositoryInUrl } from "../../src/session/checkout.ts";

describe("checkoutInLog()", () => {
  test.each([
    ["/w/shop/.claude/worktrees/robin", null, "/w/shop", "robin"],
    ["/w/shop/.claude/worktrees/robin/packages/api", "main", "/w/shop", "robin"],
    ["C:\\w\\shop\\.claude\\worktrees\\robin", null, "C:/w/shop", "robin"],
    ["/w/shop/.worktrees/2", "ana/fix", "/w/shop", "2"],
    ["/w/shop/.worktrees/ana/fix/src", "ana/fix", "/w/shop", "ana/fix"],
    ["/w/shop/.worktrees/ana/old", "ana/fix", "/w/shop", "ana/old"],
    ["/home/ana/.claude-worktrees/oh-my-posh/heuristic-robinson", "x", "oh-my-posh", "heuristic-robinson"],
    ["/home/ana/.codex/worktrees/a1b2/shop", null, "shop", "a1b2"],
    ["/r/erk/worktrees/erk-slot-24", "plan/x", "/r/erk", "erk-slot-24"],
    ["/r/erk/worktrees/plan/x", "plan/x", "/r/erk", "plan/x"],
  ])("knows the worktree %s (branch %s)", (project, branch, repository, worktree) => {
    expect(checkoutInLog({ project, branch })).toEqual({ repository, worktree });
  });

  test.each([
    ["/w/shop", "main"],
    ["/home/ana/worktrees/notes", "main"],
    ["/w/experiments/worktrees", "main"],
    ["/home/ana/.claude-worktrees/shop", "main"],
    ["/home/ana/.codex/worktrees/a1b2", "main"],
    [null, "main"],
  ])("does not take %s for a worktree", (project, branch) => {
    expect(checkoutInLog({ project, branch })).toEqual({ repository: null, worktree: null });
  });

  test("believes the log rather than the path", () => {
    const checkout = { repository: "/w/shop", worktree: "fix" };
    expect(checkoutInLog({ project: "/x/.worktrees/1", branch: null, checkout })).toEqual(checkout);
    expect(checkoutInLog({ project: "/x", branch: null, checkout })).toEqual(checkout);
  });

  test("takes the worktree from the path if the log only names the repository", () => {
    const checkout = { repository: "shop", worktree: null };
    expect(checkoutInLog({ project: "/w/shop/.worktrees/1", branch: null, checkout })).toEqual({
      repository: "/w/shop",
      worktree: "1",
    });
  });
});

describe("repositoryInUrl()", () => {
  test.each([
    ["https://user:secret@example.com/team/shop.git", "shop"],
    ["git@example.com:team/shop.git", "shop"],
    ["git@example.com:shop", "shop"],
    ["ssh://git@example.com/team/shop/", "shop"],
    ["[trimmed for fixture]", null],
    ["", null],
  ])("reads %s", (url, name) => {
    expect(repositoryInUrl(url)).toBe(name);
  });
});

describe("findCheckout()", () => {
  function files(content: Readonly<Record<string, string>>): string {
    const root = mkdtempSync(join(tmpdir(), "checkout-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    for (const [name, text] of Object.entries(content)) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text.replaceAll("ROOT", root));
    }
    return root;
  }
  const find = (root: string, project: string, home = join(root, "nowhere")) =>
    findCheckout(nodeDisk, home, { project: join(root, project), branch: null });

  test("finds the repository above a folder", () => {
    const root = files({ "shop/.git/HEAD": "ref: refs/heads/main\n", "shop/src/a.ts": "" });
    expect(find(root, "shop/src")).toEqual({ repository: join(root, "shop"), worktree: null });
    expect(find(root, "shop")).toEqual({ repository: join(root, "shop"), worktree: null });
  });

  test("finds the repository of a worktree that is anywhere", () => {
    const root = files({
      "shop/.git/HEAD": "ref: refs/heads/main\n",
      "elsewhere/robin/.git": "gitdir: ROOT/shop/.git/worktrees/robin1\n",
      "elsewhere/robin/src/a.ts": "",
    });
    const found = { repository: join(root, "shop"), worktree: "robin" };
    expect(find(root, "elsewhere/robin")).toEqual(found);
    expect(find(root, "elsewhere/robin/src")).toEqual(found);
  });

  test("follows a relative path, and knows bare repositories", () => {
    const root = files({
      "shop/.bare/HEAD": "ref: refs/heads/main\n",
      "shop/main/.git": "gitdir: ../.bare/worktrees/main\n",
      "shop.git/HEAD": "ref: refs/heads/main\n",
      "trees/ana/fix/.git": "gitdir: ROOT/shop.git/worktrees/fix\n",
    });
    expect(find(root, "shop/main")).toEqual({ repository: join(root, "shop"), worktree: "main" });
    expect(find(root, "trees/ana/fix")).toEqual({ repository: join(root, "shop"), worktree: "fix" });
  });

  test("takes a submodule for a repository", () => {
    const root = files({ "shop/lib/.git": "gitdir: ../.git/modules/lib\n" });
    expect(find(root, "shop/lib")).toEqual({ repository: join(root, "shop/lib"), worktree: null });
  });

  test("leaves out the repository of the home, which holds settings", () => {
    const root = files({ "home/.git/HEAD": "ref: refs/heads/main\n", "home/notes/a.md": "" });
    expect(find(root, "home/notes", join(root, "home"))).toEqual({ repository: null, worktree: null });
    expect(find(root, "home", join(root, "home")).repository).toBe(join(root, "home"));
  });

  test("asks the log if the folder is gone, has a broken .git, or is on another machine", () => {
    const root = files({ "a/.worktrees/1/.git": "what?\n", "b/.git/x": "" });
    expect(find(root, "a/.worktrees/1")).toEqual({ repository: join(root, "a"), worktree: "1" });
    expect(find(root, "b")).toEqual({ repository: null, worktree: null });
    expect(find(root, "gone/.worktrees/2")).toEqual({ repository: join(root, "gone"), worktree: "2" });
    const disk = {
      ...nodeDisk,
      stat: () => {
        throw new Error("it was opened");
      },
    };
    expect(findCheckout(disk, "/home/ana", { project: "//host/share/shop", branch: null })).toEqual({
      repository: null,
      worktree: null,
    });
  });

  test("is not stopped by a link in a circle", () => {
    const root = files({ "a/x": "" });
    symlinkSync(join(root, "a/.git"), join(root, "a/.git"));
    expect(find(root, "a")).toEqual({ repository: null, worktree: null });
  });
});

describe("projectLabel()", () => {
  test("names the repository and the worktree", () => {
    const place = { project: "/x/.worktrees/1", repository: "/x", worktree: "1" };
    expect(projectLabel(place)).toBe("x (worktree 1)");
    expect(projectLabel({ project: "/home/ana/shop/", repository: null, worktree: null })).toBe("shop");
    expect(projectLabel({ project: null, repository: null, worktree: null })).toBe("–");
  });
});
