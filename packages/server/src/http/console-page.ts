import { createHash } from 'node:crypto'

/** A page of one file, and the Content-Security-Policy that lets exactly its own script and style run. */
export interface ConsolePage {
  readonly html: string
  readonly policy: string
}

/**
 * Makes the console's page ready to be served. Call it once, not for each request.
 *
 * @param html the text of the page, with its scripts and styles inline.
 */
export function createConsolePage(html: string): ConsolePage {
  const policy = [
    "default-src 'none'",
    `script-src ${hashesOf(html, 'script')}`,
    `style-src ${hashesOf(html, 'style')}`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return { html, policy: policy.join('; ') }
}

function hashesOf(html: string, element: 'script' | 'style'): string {
  const blocks = html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))
  return Array.from(blocks, ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(
    ' ',
  )
}
