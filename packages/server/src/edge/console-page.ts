/** The console's built files, and the policy that lets only them run. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyError, FastifyInstance } from 'fastify'
import { ServiceError } from '../platform/errors/service-error.ts'
import { escapeHtml } from '../platform/runtime/escape-html.ts'
import { markPageFiles } from './access-log.ts'

/** What the built page has in place of what each visit puts there. */
const MARKS = /__SVC_(NONCE|BRAND|WAYS)__/
/** What stands before and behind the part that the page of signing in alone has. */
const FORM_MARK = '<!--sign-in-->'
/** A page that a build is writing has no end yet. */
const IS_WHOLE = /<\/html>\s*$/
const NOT_BUILT =
  '<!doctype html><meta charset="utf-8"><title>SVC</title><p>The console is not built. Run <code>npm run build</code>, then reload this page.'

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

/** What the document of signing in shows before its scripts are there. */
export interface EarlySignIn {
  readonly brand: string
  /** Names of the ways in that this visit is offered: of `sign_in` in the console's session. */
  readonly ways: readonly string[]
}

/** What the page has of one visit. */
export interface ConsoleVisit {
  readonly nonce: string
  /** Null for every other page: it shows its frame alone. */
  readonly signIn: EarlySignIn | null
}

/** The page with what each visit has in place of its marks. */
function fillPage(html: string, { nonce, signIn }: ConsoleVisit): string {
  const [before = '', form = '', behind = ''] = html.split(FORM_MARK)
  const texts: Readonly<Record<string, string>> = {
    NONCE: nonce,
    BRAND: escapeHtml(signIn?.brand ?? ''),
    WAYS: escapeHtml(signIn?.ways.join(' ') ?? ''),
  }
  // Each second one is the name of a mark.
  const parts = `${before}${signIn === null ? '' : form}${behind}`.split(MARKS)
  return parts.map((part, at) => (at % 2 === 0 ? part : texts[part])).join('')
}

/**
 * Reads the page for each visit: a build under a running gateway gives its scripts other names. While the page cannot
 * be read whole, the last whole one is sent.
 */
export function openConsolePage(folder: string): (visit: ConsoleVisit) => Promise<string> {
  const file = path.join(folder, 'index.html')
  let last = NOT_BUILT
  return async (visit) => {
    const html = await readFile(file, 'utf8').catch(() => '')
    if (IS_WHOLE.test(html)) last = html
    return fillPage(last, visit)
  }
}

/** Serves the scripts, styles and fonts. Their names change with their contents, so that they may be kept for ever. */
export function mountConsoleFiles(app: FastifyInstance, folder: string): void {
  app.register(async (scope) => {
    markPageFiles(scope)
    // The plug-in refuses paths that lead elsewhere, or that no file can have, with errors of its own.
    scope.setErrorHandler((error: FastifyError) => {
      if (error.statusCode === undefined || error.statusCode >= 500) throw error
      throw new ServiceError('unknown_url', 'There is no such file.', { cause: error })
    })
    await scope.register(fastifyStatic, {
      root: path.join(folder, 'assets'),
      // It may be built later than this.
      suppressWarning: true,
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
