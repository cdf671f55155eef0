/**
 * Pages for people: the console and the reference. Each has a policy that lets nothing else run.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { consolePolicy, mountConsoleFiles, readConsolePage } from './console-page.ts'
import { mountReference } from './reference-site.ts'

const HTML_TYPE = 'text/html; charset=utf-8'

function sendPage(reply: FastifyReply, html: string, policy: string): FastifyReply {
  return reply
    .headers({
      'content-type': HTML_TYPE,
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      // The microphone is for the playground's recorder, and asks the user first.
      'permissions-policy': 'camera=(), geolocation=(), microphone=(self)',
      'cache-control': 'no-cache',
    })
    .send(html)
}

/** Mounts `/`, `/console`, `/playground`, `/docs` and `/llms.txt`. @param consoleFolder the console's built pages. */
export function mountPages(app: FastifyInstance, consoleFolder: string): void {
  const page = readConsolePage(consoleFolder)
  for (const path of ['/console', '/console/*']) {
    app.get(path, (_request, reply) => {
      const nonce = randomBytes(16).toString('base64')
      return sendPage(reply, page(nonce), consolePolicy(nonce))
    })
  }
  mountConsoleFiles(app, consoleFolder)
  app.get('/', (_request, reply) => reply.redirect('/console'))
  app.get('/playground', (_request, reply) => reply.redirect('/console/playground'))
  mountReference(app, consoleFolder)
}
