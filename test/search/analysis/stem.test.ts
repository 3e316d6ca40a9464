import { expect, test } from "vitest";
import { stem } from "../../../src/search/analysis/stem.ts";
import fc from "../../support/fc.ts";

const together = `
running run runs ran
refreshed refresh refreshes refreshing
tries try tried trying
caching cache caches cached
class classes
process processes processing processed
status statuses
address addresses addressed
string strings
settings setting
need needs needed needing
feed feeds
use uses used using
delete deletes deleted deleting
create creates created creating
edit edits edited editing
commit commits committed committing
add adds added adding
handle handles handled handling
parse parses parsed parsing
merge merges merged merging
move moves moved moving
queue queues queued queuing queueing
pipe pipes piped piping
note notes noted noting
release releases released releasing
cancel cancels canceled cancelled cancelling
control controls controlled controlling
install installs installed installing
query queries queried querying
cookie cookies
index indexes indexed indexing indices
match matches matched matching
fix fixes fixed fixing
size sizes sized sizing
alias aliases aliased
menu menus
api apis
id ids
embed embeds embedded embedding
deploy deploys deployed deploying
apply applies applied applying
write writes writing wrote written
quick quickly
automatic automatically
manual manually
possible possibly
easy easily
complete completes completed completing completely
issue issues issued
quote quotes quoted quoting
require requires required requiring
sync syncs synced syncing
diff diffs diffing
tree trees
agree agreed
`;

test.each(together.trim().split("\n"))("stem() brings together: %s", (line) => {
  expect(new Set(line.split(" ").map(stem)).size).toBe(1);
});

const apart = `
pipe pip
node nod
note not
state stat
mode mod
plane plan
care car
setting set
locale local
rationale rational
string str
thing th
nothing noth
news new
redis red
https http
cors cor
lens len
feed fee
speed spee
paste past
`;

test.each(apart.trim().split("\n"))("stem() keeps apart: %s", (line) => {
  const words = line.split(" ");
  expect(new Set(words.map(stem)).size).toBe(words.length);
});

test.each([
  "redis",
  "kubernetes",
  "status",
  "address",
  "this",
  "news",
  "nothing",
  "speed",
  "aws",
  "css",
  "nodejs",
])("stem() leaves %s as it is", (word) => {
  expect(stem(word)).toBe(word);
});

test("stem() of any letters is never empty, never longer than one letter more, and the same every time", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,20}$/), (word) => {
      const found = stem(word);
      expect(found).toMatch(/^[a-z]+$/);
      // simply is simple; everything else gets shorter or stays.
      expect(found.length).toBeLessThanOrEqual(word.length + 1);
      expect(stem(word)).toBe(found);
    }),
  );
});
