/**
 * How every email looks: one card with a title, rows of facts, one button, and below it why the reader gets it. HTML
 * and text say the same.
 */
import { escapeHtml } from '../runtime/escape-html.ts'
import type { MailContent } from './mailer.ts'

/** One fact. Ids are set in a mono face. */
export interface EmailRow {
  readonly label: string
  readonly value: string
  readonly isId?: boolean
}

export interface Email {
  readonly subject: string
  /** Above the title; what kind of email it is. */
  readonly kind: string
  readonly title: string
  /** Shown beside the subject in lists of emails. */
  readonly preview: string
  readonly summary: string
  readonly rows: readonly EmailRow[]
  readonly button: { readonly text: string; readonly link: string }
  /** Below the button; empty for none. */
  readonly note: string
  /** Why the reader gets this email, and what to do where they do not want it. */
  readonly reason: string
}

/** Writes an email in both forms. Pure; the same email gives the same text. */
export function renderEmail(email: Email): MailContent {
  return { subject: email.subject, text: renderText(email), html: renderHtml(email) }
}

function renderText({ kind, summary, rows, button, note, reason }: Email): string {
  const width = Math.max(0, ...rows.map(({ label }) => label.length))
  const table = rows.map(({ label, value }) => `${label.padEnd(width)}  ${value}`)
  const parts = [[kind], [summary], table, [`${button.text}: ${button.link}`], note === '' ? [] : [note]]
  const body = parts.filter((part) => part.length > 0).map((part) => part.join('\n'))
  return [...body, `-- \n${reason}\n`].join('\n\n')
}

/** Colours for light and for dark surroundings; mail programs that know no media queries show the light ones. */
const STYLE = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  @media (prefers-color-scheme: dark) {
    .page { background: #14161a !important; }
    .card { background: #1d2025 !important; border-color: #31363e !important; }
    .strong { color: #f3f4f6 !important; }
    .plain { color: #d3d7de !important; }
    .faint { color: #9aa3b0 !important; }
    .line { border-color: #31363e !important; }
    .button { background: #e8eaee !important; color: #14161a !important; }
  }
  @media (max-width: 480px) {
    .inner { padding: 24px 20px !important; }
    .cell { display: block !important; width: 100% !important; box-sizing: border-box; }
    .label { padding-bottom: 0 !important; border-bottom: 0 !important; }
    .value { padding-top: 2px !important; text-align: left !important; }
  }`

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const MONO = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px'

function renderRow({ label, value, isId = false }: EmailRow): string {
  const line = 'border-bottom:1px solid #e6e8ec;padding:10px 0;vertical-align:top'
  return (
    `<tr><td class="cell label line faint" style="${line};color:#667085;width:112px">${escapeHtml(label)}</td>` +
    `<td class="cell value line plain" style="${line};color:#1f2430;text-align:right;word-break:break-all` +
    `${isId ? `;${MONO}` : ''}">${escapeHtml(value)}</td></tr>`
  )
}

function renderRows(rows: readonly EmailRow[]): string {
  if (rows.length === 0) return ''
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="border-collapse:collapse">
${rows.map(renderRow).join('\n')}
</table>
`
}

function renderHtml({ kind, title, preview, summary, rows, button, note, reason }: Email): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(kind)}</title>
<style>${STYLE}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f4f5f7;${FONT};font-size:15px;line-height:1.5">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preview)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f5f7">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0"
  style="max-width:560px;background:#ffffff;border:1px solid #e6e8ec;border-radius:12px">
<tr><td class="inner" style="padding:32px 36px">
<p class="faint" style="margin:0 0 4px;color:#667085">${escapeHtml(kind)}</p>
<p class="strong" style="margin:0;color:#12151c;font-size:28px;line-height:1.25;font-weight:600">${escapeHtml(
    title,
  )}</p>
<p class="plain" style="margin:8px 0 20px;color:#1f2430">${escapeHtml(summary)}</p>
${renderRows(rows)}<p style="margin:24px 0 0"><a class="button" href="${escapeHtml(button.link)}"
  style="display:inline-block;background:#12151c;color:#ffffff;text-decoration:none;padding:10px 18px;border-radius:8px"
>${escapeHtml(button.text)}</a></p>
${note === '' ? '' : `<p class="faint" style="margin:24px 0 0;color:#667085;font-size:13px">${escapeHtml(note)}</p>`}
</td></tr></table>
<p class="faint" style="max-width:520px;margin:16px auto 0;color:#667085;font-size:12px">${escapeHtml(reason)}</p>
</td></tr></table>
</body>
</html>
`
}

/** `2026-11-28 03:05 UTC`: the same for every reader. */
export function dateText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/**
 * A name that people have chosen, as emails show it: words alone, so that no program makes a link of it.
 *
 * @returns `fallback` when nothing is left.
 */
export function plainName(name: string, fallback: string): string {
  const words = name.replaceAll(/[^\p{L}\p{M}\p{N} '&()+-]+/gu, ' ').replaceAll(/ +/g, ' ')
  return words.trim() === '' ? fallback : words.trim()
}
