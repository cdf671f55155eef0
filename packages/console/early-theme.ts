import type { Plugin, Rolldown } from 'vite'

/** Addresses of scripts, by the place in the console whose page needs them. */
type ScriptsOfPages = Readonly<Record<string, readonly string[]>>

/** Runs in the browser before anything is painted; the module of the theme takes over when it is there. */
function setEarlyTheme(scripts: ScriptsOfPages): void {
  let chosen: string | null = null
  try {
    chosen = localStorage.getItem('svc-theme')
  } catch {
    // A browser that keeps nothing shows what the system has.
  }
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  const { dataset } = document.documentElement
  dataset['theme'] = isDark ? 'dark' : 'light'
  const page = location.pathname.replace(/^\/console(?:\/team\/[^/]{1,99})?\/?/, '').split('/')[0] ?? ''
  const gates = ['sign-in', 'link', 'invitation', 'first-run', 'confirm-email', 'terms']
  // The gateway says its ways in at the page of signing in, and nothing where it could not find out.
  if (page === 'sign-in' && dataset['ways'] !== '') dataset['shell'] = 'sign-in'
  else dataset['shell'] = gates.includes(page) ? 'gate' : 'team'
  const load = (attributes: Readonly<Record<string, string>>): void => {
    document.head.append(Object.assign(document.createElement('link'), attributes))
  }
  // The scripts of the page beside those of all pages, and not behind them.
  for (const href of scripts[page] ?? []) load({ rel: 'modulepreload', fetchPriority: 'low', href })
  // The longest list of all, beside the scripts that show it.
  if (page === 'models') {
    load({ rel: 'preload', as: 'fetch', crossOrigin: 'anonymous', href: '/api/v1/models?type=all' })
  }
}

type Bundle = Rolldown.OutputBundle

/** A chunk and all that it imports. */
function withImports(bundle: Bundle, fileName: string, found = new Set<string>()): ReadonlySet<string> {
  const chunk = bundle[fileName]
  if (chunk?.type !== 'chunk' || found.has(fileName)) return found
  found.add(fileName)
  for (const imported of chunk.imports) withImports(bundle, imported, found)
  return found
}

/** What each page needs beside what all pages do. The first page of a place is in the module of that name. */
function scriptsOfPages(bundle: Bundle): ScriptsOfPages {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
  const entry = chunks.find(
    ({ isEntry, facadeModuleId }) => isEntry && facadeModuleId?.endsWith('/index.html') === true,
  )
  if (entry === undefined) throw new Error('The entry of the console is missing from the bundle.')
  const ofAll = withImports(bundle, entry.fileName)
  const pages = chunks.flatMap(({ facadeModuleId, fileName }) => {
    const [, place] = /\/pages\/([\w-]+)\/\1-page\.tsx$/.exec(facadeModuleId ?? '') ?? []
    if (place === undefined) return []
    const scripts = [...withImports(bundle, fileName)].filter((name) => !ofAll.has(name))
    return [[place === 'overview' ? '' : place, scripts.map((name) => `/console/${name}`)] as const]
  })
  return Object.fromEntries(pages)
}

/**
 * So that a page is never seen in the wrong colours, or in the frame of another. The head waits for this script, which is why it is a file of its
 * own and small; the policy allows none inline.
 */
export function earlyTheme(): Plugin {
  return {
    name: 'svc-early-theme',
    apply: 'build',
    // Before the pages are written, which name it.
    generateBundle: {
      order: 'pre',
      handler(_options, bundle) {
        const source = `(${setEarlyTheme.toString()})(${JSON.stringify(scriptsOfPages(bundle))})`
        this.emitFile({ type: 'asset', name: 'early-theme.js', source })
      },
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const file = Object.values(bundle ?? {}).find(({ fileName }) =>
          /(?:^|\/)early-theme-[\w-]{1,99}\.js$/.test(fileName),
        )
        if (file === undefined) throw new Error('The script of the theme is missing from the bundle.')
        return [{ tag: 'script', attrs: { src: `/console/${file.fileName}` }, injectTo: 'head-prepend' }]
      },
    },
  }
}
