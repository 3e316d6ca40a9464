import { expect, test } from "vitest";
import { labelProjects } from "../../src/render/project-labels.ts";

const folder = (project: string | null): { readonly name: string; readonly project: string | null } => ({
  name: project?.split("/").at(-1) ?? "(no project)",
  project,
});

test.each([
  ["a name that nobody shares stays", ["/home/ana/shop", "/home/ana/notes"], ["shop", "notes"]],
  ["folders of one name get their parents", ["/a/repos/erk", "/b/work/erk"], ["repos/erk", "work/erk"]],
  ["as many parents as it takes", ["/a/x/erk", "/b/x/erk", "/b/y/erk"], ["/a/x/erk", "/b/x/erk", "y/erk"]],
  ["a folder at the end of another is shown whole", ["/erk", "/a/erk"], ["/erk", "/a/erk"]],
  ["no folder has no parents", [null, "/a/(no project)"], ["(no project)", "/a/(no project)"]],
])("labelProjects(): %s", (_, projects, labels) => {
  expect(labelProjects(projects.map(folder))).toEqual(labels);
});
