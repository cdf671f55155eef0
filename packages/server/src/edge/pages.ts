/**
 * Pages for people: the console and the reference. Each has a policy that lets nothing else run.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { consolePolicy, type EarlySignIn, mountConsoleFiles, openConsolePage } from './console-page.ts'
import { mountReference } from './reference-site.ts'

/** A page without its form is better than one that waits for a database. Source: own choice. */
const DESCRIBE_MS = 500
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

interface Pages {
  /** The console's built pages. */
  readonly consoleFolder: string
  /** What this visit is offered to sign in by. The page goes without it where this fails or takes long. */
  readonly describeSignIn: (request: FastifyRequest) => Promise<EarlySignIn>
}

/** Mounts `/`, `/console`, `/playground`, `/docs` and `/llms.txt`. */
export function mountPages(app: FastifyInstance, { consoleFolder, describeSignIn }: Pages): void {
  const page = openConsolePage(consoleFolder)
  const send = async (reply: FastifyReply, signIn: EarlySignIn | null): Promise<FastifyReply> => {
    const nonce = randomBytes(16).toString('base64')
    return sendPage(reply, await page({ nonce, signIn }), consolePolicy(nonce))
  }
  for (const path of ['/console', '/console/*']) app.get(path, (_request, reply) => send(reply, null))
  app.get('/console/sign-in', async (request, reply) => {
    const described = describeSignIn(request).catch(() => null)
    return send(reply, await Promise.race([described, wait(DESCRIBE_MS, null, { ref: false })]))
  })
  mountConsoleFiles(app, consoleFolder)
  app.get('/', (_request, reply) => reply.redirect('/console'))
  app.get('/playground', (_request, reply) => reply.redirect('/console/playground'))
  mountReference(app, consoleFolder)
}
