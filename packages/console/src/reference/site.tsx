/** Every page of the reference, with what is searched and what programs read. Pure: the build writes them down. */
import { errorCodes, type ErrorCode } from '@svc/contract'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { Frame, operationPath } from './frame.tsx'
import { ERRORS, guidePath, guides, sectionsOf } from './guides.ts'
import { type Api, type Operation, readApi } from './operations.ts'
import { ErrorPage, ErrorsPage } from './pages/error-pages.tsx'
import { GuidePage, OnThisPage } from './pages/guide-page.tsx'
import { HomePage } from './pages/home-page.tsx'
import { OperationPage } from './pages/operation-page.tsx'
import { renderLlms } from './render-llms.ts'
import { resolve, shapesOf } from './schema.ts'
import type { SearchEntry } from './search-entry.ts'

export interface SitePage {
  /** Below the origin, such as `/docs/guides/api`. */
  readonly path: string
  readonly title: string
  /** One line for search engines. */
  readonly about: string
  /** The body of the page. */
  readonly html: string
}

export interface Site {
  readonly pages: readonly SitePage[]
  /** Further files by their paths below the origin. */
  readonly files: ReadonlyMap<string, string>
}

interface Draft {
  readonly path: string
  readonly title: string
  readonly lead?: string
  readonly aside?: ReactNode
  readonly content: ReactNode
}

/** @param documents the text of each guide and of `errors`, by name. */
export function makeSite(documents: Readonly<Record<string, string>>): Site {
  const api = readApi()
  const textOf = (name: string): string => documents[name] ?? ''
  const drafts: Draft[] = [
    {
      path: '/docs',
      title: 'Documentation',
      lead: 'One OpenAI-compatible API and one key, paid from prepaid credits. Chat, images, video and audio.',
      content: <HomePage api={api} />,
    },
    ...guides.map(({ name, title, about }) => ({
      path: guidePath(name),
      title,
      lead: about,
      aside: <OnThisPage sections={sectionsOf(textOf(name))} />,
      content: <GuidePage text={textOf(name)} />,
    })),
    ...errorDrafts(textOf(ERRORS), api),
    ...api.operations.map((operation) => ({
      path: operationPath(operation.id),
      title: operation.summary,
      content: <OperationPage operation={operation} api={api} />,
    })),
    {
      path: '/docs/404',
      title: 'There is no such page',
      lead: 'It may have moved: search for it, or begin with the list of all pages.',
      content: (
        <a href="/docs" className="text-accent underline underline-offset-2">
          Documentation
        </a>
      ),
    },
  ]
  const pages = drafts.map(({ content, ...draft }) => ({
    path: draft.path,
    title: draft.title,
    about: draft.lead ?? draft.title,
    html: renderToStaticMarkup(
      <Frame api={api} {...draft}>
        {content}
      </Frame>,
    ),
  }))
  const files = new Map([
    [
      '/docs/search.json',
      JSON.stringify([...guideEntries(textOf), ...errorEntries(textOf(ERRORS)), ...apiEntries(api)]),
    ],
    ['/llms.txt', renderLlms(api)],
    ...[...guides.map(({ name }) => name), ERRORS].map((name) => [`${guidePath(name)}.md`, textOf(name)] as const),
  ])
  return { pages, files }
}

/** What a document says of each code. @throws where it has a code without a section. */
function codeSections(text: string) {
  const sections = sectionsOf(text)
  return (Object.keys(errorCodes) as ErrorCode[]).map((code) => {
    const section = sections.find(({ heading }) => heading === code)
    if (section === undefined) throw new Error(`docs/errors.md says nothing of ${code}.`)
    return { code, section }
  })
}

function errorDrafts(text: string, { operations }: Api): readonly Draft[] {
  const [common = ''] = text.split(/^### /m)
  return [
    {
      path: guidePath(ERRORS),
      title: 'Errors',
      lead: 'Every answer that is not a success has a code that never changes its meaning.',
      content: <ErrorsPage text={common} />,
    },
    ...codeSections(text).map(({ code, section }) => ({
      path: `/docs/errors/${code}`,
      title: code,
      content: <ErrorPage code={code} section={section} operations={operations} />,
    })),
  ]
}

/** Longer texts of a section are cut in the search: its beginning says what it is about. Source: own choice. */
const SEARCHED_MAX = 1_500

const searchable = (text: string): string =>
  text
    .replaceAll(/[`*|#>]|\]\([^)]{0,300}\)|<!--.{0,300}?-->/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, SEARCHED_MAX)

function guideEntries(textOf: (name: string) => string): readonly SearchEntry[] {
  return guides.flatMap(({ name, title }) =>
    sectionsOf(textOf(name)).map(({ level, heading, slug, text }) => ({
      title: level === 1 ? title : heading,
      page: title,
      url: level === 1 ? guidePath(name) : `${guidePath(name)}#${slug}`,
      text: searchable(text),
    })),
  )
}

function errorEntries(text: string): readonly SearchEntry[] {
  return codeSections(text).map(({ code, section }) => {
    return { title: code, page: 'Errors', url: `/docs/errors/${code}`, text: searchable(section.text) }
  })
}

function apiEntries({ operations, schemas }: Api): readonly SearchEntry[] {
  const fieldsOf = ({ bodies, parameters }: Operation): readonly string[] => [
    ...parameters.map(({ name }) => name),
    ...bodies
      .flatMap(({ schema }) => shapesOf(schema, schemas))
      .flatMap(({ schema }) => Object.keys(resolve(schema, schemas).properties ?? {})),
  ]
  return operations.map((operation) => {
    const { id, method, path, tag, summary, description } = operation
    const text = [`${method} ${path}`, id, description, ...fieldsOf(operation)].join(' ')
    return { title: summary, page: tag, url: operationPath(id), text: searchable(text) }
  })
}
