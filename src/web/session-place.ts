/** Where the page shows a session, at one of its turns, with the words of a query marked: the fragment of its address. */
export function sessionPlace(key: string, turn: number | null = null, q: string = ""): string {
  const path = `/session/${encodeURIComponent(key)}`;
  return withQuery(turn === null ? path : `${path}/${turn}`, q);
}

export function withQuery(path: string, q: string): string {
  return q === "" ? path : `${path}?${new URLSearchParams({ q }).toString()}`;
}
