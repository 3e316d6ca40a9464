interface NamedFolder {
  readonly name: string;
  readonly project: string | null;
}

/**
 * Labels projects by their names; projects with the same name, by as much of the end of their folder as makes them
 * unique.
 */
export function labelProjects(projects: readonly NamedFolder[]): readonly string[] {
  return projects.map((project) => {
    const others = projects.filter((other) => other !== project && other.name === project.name);
    return others.length === 0 ? project.name : distinctLabel(project, others);
  });
}

function distinctLabel({ name, project }: NamedFolder, others: readonly NamedFolder[]): string {
  if (project === null) return name;
  const parts = partsOf(project);
  for (let count = 2; count < parts.length; count++) {
    const end = parts.slice(-count).join("/");
    if (
      !others.some(
        (other) =>
          partsOf(other.project ?? "")
            .slice(-count)
            .join("/") === end,
      )
    )
      return end;
  }
  return project;
}

function partsOf(path: string): readonly string[] {
  return path.split(/[\\/]/).filter((part) => part !== "");
}
