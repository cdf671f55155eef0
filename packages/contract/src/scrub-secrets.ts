/** Takes secrets out of text that leaves a program: into a log, onto a terminal, to a client. */
const SECRET = '[secret]'

interface Scrubbing {
  readonly pattern: RegExp
  readonly replacement: string
}

/** What looks like a key of ours or of an upstream. */
const keyScrubbings: readonly Scrubbing[] = [
  { pattern: /sk-(svc|or|proj|ant)-[\w-]{8,}/g, replacement: `sk-$1-${SECRET}` },
  { pattern: /(?<!(?<!\\)[a-z])sk-[A-Za-z0-9_]{16,}/g, replacement: `sk-${SECRET}` },
]

/** What else looks like a secret wherever it is: a token in a header, in an address, and an extended private key. */
const tokenScrubbings: readonly Scrubbing[] = [
  { pattern: /(bearer|basic)(\s+|%20|\+)[\w.~+/=-]{6,}/gi, replacement: `$1 ${SECRET}` },
  {
    pattern: /([?&](?:api[_-]?key|access[_-]?token|auth|key|password|secret|sig|signature|token)=)[^\s&"'#\\]+/gi,
    replacement: `$1${SECRET}`,
  },
  { pattern: /xprv[1-9A-HJ-NP-Za-km-z]{100,}/g, replacement: `xprv${SECRET}` },
]

/**
 * What looks like a secret in a line of text, whatever field it is in. The patterns ask for no word border before a
 * secret: in JSON text the letter of an escape such as `\n` may be right before it. `\\*"` is a quote at any depth of
 * JSON inside JSON.
 */
const scrubbings: readonly Scrubbing[] = [
  ...keyScrubbings,
  ...tokenScrubbings,
  // Credentials in a header's list of values, in a quoted value (also of a flat array), and in a header line.
  {
    pattern: /((?:authorization|cookie|x-api-key)\\*["']\s*[:,](?:\s|\\+n)*)\[(?:\s|\\+n)*(\\*["'])[^[\]]*\]/gi,
    replacement: `$1$2${SECRET}$2`,
  },
  {
    pattern: /((?:authorization|cookie|x-api-key)\\*["']\s*[:,](?:\s|\\+n)*)(\\*["'])(?:(?!(?<!\\)\2).)*(?<!\\)\2/gi,
    replacement: `$1$2${SECRET}$2`,
  },
  {
    pattern: /((?:authorization|cookie|x-api-key)\s*[:=]\s*)(?:[^"\\]|\\\\|\\["'])+/gi,
    replacement: `$1${SECRET}`,
  },
  // Private keys; a hash of the same length is lost with them.
  { pattern: /[0-9a-f]{64,}/gi, replacement: SECRET },
]

/** What every secret has in its neighbourhood: a line without any of it needs no further look. */
const SUSPICIOUS =
  /sk-|bearer|basic|authorization|cookie|x-api-key|:\/\/|is not valid JSON|[?&][\w-]{1,20}=|xprv|[0-9a-f]{64}/i

/**
 * Removes everything from a line of text that looks like a secret: keys, bearer tokens, headers with credentials,
 * private keys.
 */
export function scrubSecrets(line: string): string {
  if (!SUSPICIOUS.test(line)) return line
  return scrub(withoutQuotes(withoutPasswords(line)), scrubbings)
}

/** What ends the part of an address that may hold a password. */
const AUTHORITY_END = /[\s@"]/g

/** Takes the password out of each `scheme://user:password@host`. Each part of the text is looked at once. */
function withoutPasswords(text: string): string {
  let kept = ''
  let copied = 0
  let end = -1
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    const start = at + 3
    if (end < start) {
      AUTHORITY_END.lastIndex = start
      end = AUTHORITY_END.exec(text)?.index ?? text.length
    }
    if (text[end] !== '@' || start < copied) continue
    const user = /^[^\s:/@"]{0,256}:/.exec(text.slice(start, Math.min(end, start + 257)))
    if (user === null || start + user[0].length === end) continue
    kept += `${text.slice(copied, start + user[0].length)}${SECRET}`
    copied = end
  }
  return copied === 0 ? text : kept + text.slice(copied)
}

const COMPLAINT = ' is not valid JSON'
/** So far before its end a parser's complaint begins to quote what it read. Source: V8 quotes some forty characters. */
const QUOTED_MAX = 220

/** Takes out what a parser's complaint quotes of what it read, which may be a prompt or an answer. */
function withoutQuotes(text: string): string {
  let kept = ''
  let copied = 0
  for (let at = text.indexOf(COMPLAINT); at !== -1; at = text.indexOf(COMPLAINT, at + 1)) {
    const from = Math.max(copied, at - QUOTED_MAX)
    const quote = text.slice(from, at).search(/,? (?:\.{3})?\\{0,32}"/)
    if (quote === -1) continue
    kept += text.slice(copied, from + quote)
    copied = at
  }
  return copied === 0 ? text : kept + text.slice(copied)
}

/**
 * Removes secrets from what a program says of the words and settings that it was given. Hashes stay: people ask for
 * transactions by them.
 */
export function scrubArguments(sentence: string): string {
  return scrub(withoutPasswords(sentence), [...keyScrubbings, ...tokenScrubbings])
}

/** Removes keys from a sentence that a client may see: one that was in a path or a field is not repeated. */
export function scrubKeys(sentence: string): string {
  return scrub(sentence, keyScrubbings)
}

function scrub(text: string, by: readonly Scrubbing[]): string {
  let scrubbed = text
  for (const { pattern, replacement } of by) scrubbed = scrubbed.replace(pattern, replacement)
  return scrubbed
}
