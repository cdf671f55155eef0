/** The console's built files, and the policy that lets only them run. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyError, FastifyInstance } from 'fastify'
import { ServiceError } from '../platform/errors/service-error.ts'
import { markPageFiles } from './access-log.ts'

const NONCE_MARK = '__SVC_NONCE__'
const NOT_BUILT =
  '<!doctype html><meta charset="utf-8"><title>SVC</title><p>The console is not built. Run <code>npm run build</code> and start the gateway again.'

/**
 * Source: decision 0042 (the console): a nonce for styles, since the component library sets some; nothing inline runs.
 */
export function consolePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Reads the page once; the result puts the nonce of each answer into it. */
export function readConsolePage(folder: string): (nonce: string) => string {
  const file = path.join(folder, 'index.html')
  const html = existsSync(file) ? readFileSync(file, 'utf8') : NOT_BUILT
  const parts = html.split(NONCE_MARK)
  return (nonce) => parts.join(nonce)
}

/** Serves the scripts, styles and fonts. Their names change with their contents, so that they may be kept for ever. */
export function mountConsoleFiles(app: FastifyInstance, folder: string): void {
  const assets = path.join(folder, 'assets')
  if (!existsSync(assets)) return
  app.register(async (scope) => {
    markPageFiles(scope)
    // The plug-in refuses paths that lead elsewhere, or that no file can have, with errors of its own.
    scope.setErrorHandler((error: FastifyError) => {
      if (error.statusCode === undefined || error.statusCode >= 500) throw error
      throw new ServiceError('unknown_url', 'There is no such file.', { cause: error })
    })
    await scope.register(fastifyStatic, {
      root: assets,
      prefix: '/console/assets/',
      preCompressed: true,
      immutable: true,
      maxAge: '365d',
      index: false,
      decorateReply: false,
      setHeaders: (response) => {
        response.header('x-content-type-options', 'nosniff')
      },
    })
  })
}
