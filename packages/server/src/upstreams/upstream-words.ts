/** What of an upstream's own words may be shown to a client or logged: all of them go through here. */
import { hideKey, showsKey } from './hide-key.ts'

/** Longest text of an upstream that is shown or logged. */
const UPSTREAM_TEXT_MAX = 500
/** What is looked at of a longer one: enough to keep nothing back that is shown. */
const UPSTREAM_TEXT_READ = 4 * UPSTREAM_TEXT_MAX

const SECRET = /(sk-[A-Za-z0-9_-]{6,}|Bearer\s+\S+|https?:\/\/\S+)/gi
/** Keys of other services, which an upstream may call in turn. Sources: the documentation of each. */
const FOREIGN_KEY = /\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{20,}|(?:gsk|hf|r8|xai|pplx|nvapi|ghp|fw)[_-][\w-]{16,})/g
/**
 * Addresses of machines: four numbers, the groups of IPv6, and a host with its port. A name without a dot, a dash or a
 * digit may be a word of the sentence, so only ports of four digits and more make it a host. Source: RFC 1035 §2.3.4,
 * labels of at most 63 characters in a name of at most 255.
 */
const ADDRESSES = [
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
  /\[?(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}(?![\w:])\]?(?::\d{1,5}\b)?/gi,
  /(?<![\w.-])(?:localhost|[a-z][a-z0-9]{0,62}(?:[.-][a-z0-9]{1,63}){1,126}):\d{2,5}\b/gi,
  /(?<![\w.-])[a-z][a-z0-9]{0,62}:\d{4,5}\b/gi,
] as const

/**
 * Cuts an upstream's sentence to a length and takes secrets and addresses out of it; null when nothing readable is
 * left.
 *
 * @param apiKey our key at the upstream, which may look like anything; null where there is none.
 */
export function showableText(text: unknown, apiKey: string | null): string | null {
  if (typeof text !== 'string' || /<(!doctype|html|body|head)\b/i.test(text)) return null
  const plain = hideKey(text.slice(0, UPSTREAM_TEXT_READ), apiKey)
    .replace(/\p{Cc}+/gu, ' ')
    .replace(SECRET, '[removed]')
    .replace(FOREIGN_KEY, '[removed]')
    .trim()
  const shown = ADDRESSES.reduce((left, address) => left.replace(address, '[removed]'), plain)
  return shown === '' ? null : shown.slice(0, UPSTREAM_TEXT_MAX)
}

/**
 * An upstream's word for a failure. Its sentences are not logged: they may quote the request, and no log holds prompts.
 */
const CODE = /^[a-z][a-z0-9_.-]{0,63}$/i

/** An upstream's words for a failure that may be logged: those in the form of a code, without any part of our key. */
export function loggableCodes(words: readonly string[], apiKey: string | null): readonly string[] {
  return words.filter((word) => CODE.test(word) && !showsKey(word, apiKey))
}
