/**
 * The library opens a link of a mail by a GET, which programs that look after links would use up before their reader
 * does, and which another site could make a browser do. Here the page that the link leads to sends it as a POST.
 */
import type { Library } from './library.ts'
import { SIGN_IN_PATH } from './sign-in-paths.ts'

const TOKEN_LENGTH_MAX = 200

/** Answers `POST /magic-link/verify` with `{ token }`. */
export async function openLink(library: Library, request: Request): Promise<Response> {
  const body: unknown = await request.json().catch(() => null)
  const token: unknown = Reflect.get(Object(body), 'token')
  if (typeof token !== 'string' || token === '' || token.length > TOKEN_LENGTH_MAX) return refusal('INVALID_TOKEN')
  const url = new URL(`${SIGN_IN_PATH}/magic-link/verify`, request.url)
  url.search = new URLSearchParams({ token, callbackURL: '/console', errorCallbackURL: '/console' }).toString()
  const headers = new Headers(request.headers)
  headers.delete('content-type')
  const answer = await library.handler(new Request(url, { headers }))
  // Anything but a redirect is a refusal of the library, such as too many attempts.
  if (answer.status !== 302) return answer
  const error = new URL(answer.headers.get('location') ?? '', url).searchParams.get('error')
  if (error !== null) return refusal(error)
  const cookies = answer.headers.getSetCookie().map((cookie): [string, string] => ['set-cookie', cookie])
  return Response.json({ ok: true }, { headers: cookies })
}

function refusal(code: string): Response {
  return Response.json({ code, message: 'This link has been used or has expired.' }, { status: 403 })
}
