/**
 * One plain email address, and nothing that a mail system could read as anything else.
 *
 * The full grammar of RFC 5322 lets one text mean several recipients, a route or a comment. Here an address is a
 * dot-atom at a host name: no quotes, no groups, no lists, no display name, no route (`%`, `!`), no address literal,
 * and no character that a shell or a mail server treats apart. A host outside of ASCII is written in its `xn--` form.
 * Source: decision 0031 (the funding receipt); RFC 5321 section 4.5.3.1 for the lengths.
 */
const LOCAL_PART = /^[a-z0-9_][a-z0-9_+&=~'-]*(?:\.[a-z0-9_+&=~'-]+)*$/i
const LOCAL_PART_LENGTH_MAX = 64
const HOST_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
/** The last label is a word or the `xn--` form of one, so that no number passes for a host. */
const TOP_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/i

/** Characters of an address at most. Source: RFC 5321 section 4.5.3.1.3, less the angle brackets of a path. */
export const EMAIL_ADDRESS_LENGTH_MAX = 254

/**
 * Tells whether a text is one plain email address.
 *
 * @param text from a client, unparsed.
 */
export function isPlainEmailAddress(text: string): boolean {
  if (text.length > EMAIL_ADDRESS_LENGTH_MAX) return false
  const [localPart = '', host = '', ...rest] = text.split('@')
  if (rest.length > 0 || localPart.length > LOCAL_PART_LENGTH_MAX || !LOCAL_PART.test(localPart)) return false
  const labels = host.split('.')
  return labels.length >= 2 && labels.every((label) => HOST_LABEL.test(label)) && TOP_LABEL.test(labels.at(-1) ?? '')
}
