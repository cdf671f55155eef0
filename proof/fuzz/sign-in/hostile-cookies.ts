/** Cookies that no browser was given, and given ones that were changed on the way. */
import type { Random } from '../../../packages/server/testing/random.ts'

const NAME = 'svc.session_token'

const odd = [
  '',
  '=',
  ';;;',
  `${NAME}`,
  `${NAME}=`,
  `${NAME}=%`,
  `${NAME}=%E0%A4%A`,
  `${NAME}=%00.%00`,
  `${NAME}="quoted"`,
  `${NAME}=a.b; ${NAME}=c.d`,
  `${NAME}=.`,
  `${NAME}=a.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA%3D`,
  `${NAME}=${'a'.repeat(6_000)}.${'b'.repeat(44)}`,
  `${NAME}=\u00e9\u00ff.\u00e9`,
  `__Secure-${NAME}=a.b`,
  '__proto__=1; constructor=2; toString=3',
  Array.from({ length: 300 }, (_none, at) => `c${at}=${at}`).join('; '),
  `svc.session_data=eyJzZXNzaW9uIjp7fX0.x; svc.dont_remember=true`,
] as const

/** A cookie's value with one place changed: a character, the case, the end, or what is percent-encoded. */
function changed(cookie: string, random: Random): string {
  const at = cookie.indexOf('=') + 1 + random.below(Math.max(1, cookie.length - cookie.indexOf('=') - 1))
  switch (random.below(5)) {
    case 0:
      return cookie.slice(0, at)
    case 1:
      return `${cookie.slice(0, at)}${cookie[at] === 'x' ? 'y' : 'x'}${cookie.slice(at + 1)}`
    case 2:
      return `${cookie}; ${cookie.slice(0, at)}`
    case 3:
      return cookie.replaceAll('%', '%25')
    default:
      return `${cookie}${random.pick(['%', '%zz', '.a', ' ', '\t', ',a=b', '\u00a0'])}`
  }
}

/** @param right the header line of a session that is open; null where there is none. @returns a header line. */
export function hostileCookie(random: Random, right: string | null): string {
  if (right === null || random.below(2) === 0) return `cookie: ${random.pick(odd)}`
  return changed(right, random)
}
