/** Cookies that no browser was given, and given ones that were changed on the way. */
import fc from 'fast-check'
import { nth } from '../draw.ts'

const NAME = 'svc.session_token'

const odd = [
  ...['', '=', ';;;', `${NAME}`, `${NAME}=`, `${NAME}=%`, `${NAME}=%E0%A4%A`, `${NAME}=%00.%00`, `${NAME}="quoted"`],
  ...[`${NAME}=a.b; ${NAME}=c.d`, `${NAME}=.`, `${NAME}=a.${'A'.repeat(43)}%3D`],
  ...[`${NAME}=${'a'.repeat(6_000)}.${'b'.repeat(44)}`, `${NAME}=\u00e9\u00ff.\u00e9`, `__Secure-${NAME}=a.b`],
  '__proto__=1; constructor=2; toString=3',
  Array.from({ length: 300 }, (_none, at) => `c${at}=${at}`).join('; '),
  `svc.session_data=eyJzZXNzaW9uIjp7fX0.x; svc.dont_remember=true`,
]

const ENDS = ['%', '%zz', '.a', ' ', '\t', ',a=b', '\u00a0']

/** Changes one place of a cookie's value: a character, the case, the end, or what is percent-encoded. */
const change = fc.constantFrom<((cookie: string, at: number) => string)[]>(
  (cookie, at) => cookie.slice(0, at),
  (cookie, at) => `${cookie.slice(0, at)}${cookie[at] === 'x' ? 'y' : 'x'}${cookie.slice(at + 1)}`,
  (cookie, at) => `${cookie}; ${cookie.slice(0, at)}`,
  (cookie) => cookie.replaceAll('%', '%25'),
  (cookie, at) => `${cookie}${nth(ENDS, at)}`,
)

/** Makes a header line of that of a session that is open, or another one where that is null. */
export const hostileCookie: fc.Arbitrary<(right: string | null) => string> = fc
  .record({ usesRight: fc.boolean(), other: fc.constantFrom(...odd), change, place: fc.nat(9_999) })
  .map((made) => (right) => {
    if (right === null || !made.usesRight) return `cookie: ${made.other}`
    const start = right.indexOf('=') + 1
    return made.change(right, start + (made.place % Math.max(1, right.length - start)))
  })
