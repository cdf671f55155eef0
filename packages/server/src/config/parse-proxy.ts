/** The address of a proxy as it is kept; null for none. One without a scheme is an `http:` one, as in curl. */
export function parseProxy(text: string): string | null {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') return null
  return url.search === '' && url.hash === '' && url.pathname === '/' && isDecodable(url) ? url.href : null
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}
