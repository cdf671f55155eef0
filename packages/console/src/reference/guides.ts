/** The guides: documents of the repository that are for customers. Pure. */

export interface Guide {
  /** The file in `docs` without its ending, and the last part of the address. */
  readonly name: string
  /** In the list of pages. */
  readonly title: string
  /** One line in lists. */
  readonly about: string
}

export const guides: readonly Guide[] = [
  {
    name: 'api',
    title: 'Using the API',
    about: 'Clients, forms, streaming, quotes, retries and limits, with examples.',
  },
  { name: 'money', title: 'What is charged', about: 'How an amount is calculated, to the nanocredit.' },
  {
    name: 'sandbox',
    title: 'The sandbox',
    about: 'Everything without an account anywhere: scripted models, local chains.',
  },
  { name: 'cli', title: 'Terminal client', about: 'The API from a terminal, for people and scripts.' },
  { name: 'clients', title: 'Clients that work', about: 'Libraries and coding agents, unmodified, by version.' },
  {
    name: 'trust',
    title: 'What can be checked',
    about: 'What a receipt of the signed ledger log proves, and what it does not.',
  },
  { name: 'ledger-log', title: 'The ledger log', about: 'Leaves, tree, checkpoints and proofs, byte by byte.' },
]

/** The document with a page for each error code. */
export const ERRORS = 'errors'

export const guidePath = (name: string): string => (name === ERRORS ? '/docs/errors' : `/docs/guides/${name}`)

/**
 * Where a link of a document leads within the site.
 *
 * @returns null for what the site does not have: its text stays.
 */
export function siteHref(href: string): string | null {
  if (/^(?:https?:\/\/|#)/.test(href)) return href
  if (href === '/docs' || href.startsWith('/docs/') || href.startsWith('/api/')) return href
  const [, name = '', anchor = ''] = /^([a-z-]{1,40})\.md(#.{1,100})?$/.exec(href) ?? []
  if (name === ERRORS)
    return /^#[a-z]+_/.test(anchor) ? `/docs/errors/${anchor.slice(1)}` : `${guidePath(ERRORS)}${anchor}`
  return guides.some((guide) => guide.name === name) ? `${guidePath(name)}${anchor}` : null
}

/** The address of a heading within its page, as GitHub makes it. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

export interface Section {
  readonly level: number
  /** Without marks. */
  readonly heading: string
  readonly slug: string
  /** What is below the heading, up to the next. */
  readonly text: string
}

/** The sections of a Markdown document. Lines within a block of code are no headings. */
export function sectionsOf(markdown: string): readonly Section[] {
  const sections: { level: number; heading: string; lines: string[] }[] = []
  let isCode = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    const [, marks = '', heading = ''] = isCode ? [] : (/^(#{1,4}) (.{1,200})$/.exec(line) ?? [])
    if (marks === '') sections.at(-1)?.lines.push(line)
    else sections.push({ level: marks.length, heading: heading.replaceAll('`', ''), lines: [] })
  }
  return sections.map(({ level, heading, lines }) => {
    return { level, heading, slug: slugOf(heading), text: lines.join('\n').trim() }
  })
}
