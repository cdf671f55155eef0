import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A static file of the reference page. */
export interface ReferenceAsset {
  /** Absolute path. */
  readonly file: string
  readonly contentType: string
}

/** Where the page and its files are mounted. */
export const REFERENCE_PATH = '/docs'

/**
 * The interactive API reference: reads this gateway's own OpenAPI document and loads nothing from anywhere else.
 *
 * @param nonce the nonce of `referencePolicy` for this answer.
 */
export function referencePage(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>SVC API reference</title>
<link rel="icon" type="image/svg+xml" href="data:,">
<link rel="stylesheet" href="${REFERENCE_PATH}/swagger-ui.css">
<style nonce="${nonce}">${PAGE_STYLE}</style>
</head>
<body>
<header><a href="/console">SVC</a><span>API reference</span><a href="/api/openapi">OpenAPI document</a></header>
<main id="reference"><noscript>This page needs JavaScript.
The OpenAPI document is at <a href="/api/openapi">/api/openapi</a>.</noscript></main>
<script src="${REFERENCE_PATH}/swagger-ui-bundle.js"></script>
<script nonce="${nonce}">${PAGE_SCRIPT}</script>
</body>
</html>
`
}

const PAGE_STYLE = `
body { margin: 0; background: #fff; font: 14px/20px ui-sans-serif, system-ui, sans-serif }
header { display: flex; gap: 16px; align-items: baseline; padding: 14px 24px; color: #52605f }
header a:first-child { font-weight: 600; color: #0f766e }
header a { color: inherit; text-decoration: none }
header a:last-child { margin-left: auto }
header a:hover { text-decoration: underline }
.swagger-ui .information-container .info { margin: 16px 0 }
@media (prefers-color-scheme: dark) {
  body { background: #121817 }
  header { color: #a3b1af }
  header a:first-child { color: #2dd4bf }
}
`

// The server is this origin whatever name the page was opened by, since the policy lets it speak to no other. The
// validator badge would ask a foreign host, so it is off. The key stays in the page's memory alone.
const PAGE_SCRIPT = `
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
fetch('/api/openapi').then((response) => response.json()).then((document) => SwaggerUIBundle({
  spec: { ...document, servers: [{ url: '/api', description: 'This gateway.' }] },
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
})).catch(() => {
  document.getElementById('reference').textContent = 'The OpenAPI document could not be loaded from /api/openapi.'
})
`

/**
 * The Content-Security-Policy of the page: scripts from this origin and by nonce, nothing from another host.
 *
 * The styles need `unsafe-inline` as attributes, which the reference sets on its elements; style elements need the
 * nonce.
 */
export function referencePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src-elem 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The static files of the page by their name below `REFERENCE_PATH`. No other file of the package is served. */
export function referenceAssets(): ReadonlyMap<string, ReferenceAsset> {
  const folder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist')))
  const asset = (name: string, contentType: string): [string, ReferenceAsset] => [
    name,
    { file: join(folder, name), contentType },
  ]
  return new Map([
    asset('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
    asset('swagger-ui.css', 'text/css; charset=utf-8'),
  ])
}
