/** Distinguishes passphrases made up by people from names in programs; both are words with hyphens. */

/** The little words of sentences and labels; a passphrase has none of them. */
export const WORDS_OF_SENTENCES: ReadonlySet<string> = new Set(
  (
    "a an the is are was be been must should can may not no or and of for to at in on by with from your my our his her their its this that it " +
    "you we least most than more characters character letters digits enter new old confirm forgot reset change current again please required " +
    "invalid wrong password passphrase passwort secret token key user username le la les de des du un une ein eine der die das den ihr sie und " +
    "oder zeichen mindestens el los las su tu para con o e seu sua"
  ).split(" "),
);

const NAMES_A_THING =
  /secret|token|key|pass|cred|prod|stag|test|devel|local|auth|service|config|default|value|name|cert|server|client|user|data|version|cluster|bucket|queue/;

const WORDS_AND_NUMBER = /^[a-z]{4,14}(?:[-_][a-z]{4,14}){2,5}[-_]?\d{2,6}$/;

/** `maple-otter-lantern-75`: words that name nothing in a program, and a number. */
export function isWordsAndNumber(text: string): boolean {
  return WORDS_AND_NUMBER.test(text) && !NAMES_A_THING.test(text);
}

/** Three words or more of four letters at least, between hyphens, underscores or spaces. */
const PLAIN_WORDS = /^[a-z]{4,12}([-_ ])(?:(?:[a-z]{4,12}|\d{1,4})\1){1,6}[a-z]{4,12}$/;

/**
 * `sailboat-under-9-moons`, `forklift-nine-crates`: three words or more, with so many numbers among them. One word of a
 * program or a sentence makes it the name of a thing, a label or a message.
 */
export function isMadeOfPlainWords(text: string, numbers: 0 | 1): boolean {
  if (text.length < 14 || text.length > 80 || !PLAIN_WORDS.test(text)) return false;
  const parts = text.split(/[-_ ]/);
  const words = parts.filter((part) => !/\d/.test(part));
  return (
    words.length >= 3 &&
    parts.length - words.length === numbers &&
    !NAMES_A_THING.test(text) &&
    !words.some((word) => WORDS_OF_PROGRAMS.has(word) || WORDS_OF_SENTENCES.has(word))
  );
}

/** Words of the names, labels and messages of programs, of four letters or more. */
const WORDS_OF_PROGRAMS: ReadonlySet<string> = new Set(
  (
    "access account accounts action actions active admin after again alert allow always answer apps archive area argument array assert async " +
    "attempt audit back backend backup badge banner base based basic batch bearer before behavior between black blank block blue body bold book " +
    "border both bottom bounce branch browser build builder button bytes cache call card cards case catalog center chain change changed char " +
    "chart chat check checkbox choose circle class clear click clone close closed cloud code color colour column command comment common compact " +
    "complete component components compose confirm confirmation connect connection console contact container content context control controller " +
    "controls cookie copy core correct count create created current custom dark dash dashboard database date days debug decode decrypt deep " +
    "delete demo deploy deployment design detail details dialog digit digits direct directory disable disabled display docker docs document " +
    "domain done down download draft driver drop dropdown dummy duplicate dynamic each edge edit editor element email empty enable enabled " +
    "encode encoded encrypt encrypted engine entry environment error errors event events every example exists expired export expose external " +
    "fade fail failed failure fake false fast fault feature fetch field fields file files fill filled filter final fingerprint first fixed flag " +
    "flex flow focus folder font footer force foreign forgot forgotten form format forms frame from front frontend full function gateway gave " +
    "general generate generated generic global good gray green grid group groups guard guest guide half handle handler hard hash hashed have " +
    "header heading health heavy height helm help helper hidden hide high hint home hook host hosted hour hours hover icon icons image images " +
    "import index info ingress initial inline inner input inputs inside instance integration internal into invalid issue item items join json " +
    "kebab kennwort kind kube kubernetes label labels lambda large last latest layer layout lazy left legacy length less letter letters level " +
    "library light like limit line link links list listener live load loader local lock locked logged login logo logout long lower lowercase " +
    "mail main make managed management manager manual many mark match matches maximum medium member memory menu message messages meta method " +
    "middle minimum minutes mismatch missing mobile mock modal mode model module monitor month more mount move multi must muted name named " +
    "names native nested network never next node none normal notice null number numbers object obscure once online only open opened operator " +
    "option optional options order origin other outer outline output overlay overview owner pack package page pages panel param parameter " +
    "params parent parse part password path pattern pending percent permission phone phrase picker pipeline place placeholder plain plan " +
    "platform player plugin plus point policy pool popup port portal post prefix present preset preview previous primary print private process " +
    "prod production profile program project prompt property protect protected protocol provider proxy public pull push query question quick " +
    "quiet random range rate read ready real recover recovery refer reference refresh region register registry relative release reload remember " +
    "remote remove rename render repeat replace report repository request require required reset resource response restore result retry return " +
    "reveal review right robot role roles root rotate rotation round rounded route router rule rules runner runtime safe same sandbox save " +
    "scale scan schema scope screen script scroll search second seconds section secure security seed select selected self send server service " +
    "services session setting settings setup shape share shared shield short show side sign signed signin signup simple single site size skip " +
    "slide slider slim slow small snake socket soft solid some sort source space spec special square stack stage staging standard start state " +
    "static status step stop storage store stored stream strength strict string strong style subject submit subscription subtitle success " +
    "suffix support switch symbol sync system table tabs target task team template temporary tenant test tester testing tests text than that " +
    "them theme then there thing this time timeout title today toggle tool toolbar tooltip topic touch trace track transfer true trust type " +
    "typed types unique unknown unlock unset unused update updated upload upper uppercase used user users using valid validate validation " +
    "validator value values variable variant vault verify version very video view visible void wait warning weak week what when where which " +
    "white wide widget width will window with without word words worker workflow workspace wrap wrapper write wrong year yellow your zone"
  ).split(" "),
);
