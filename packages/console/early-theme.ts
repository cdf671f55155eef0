import type { Plugin } from 'vite'

/** Runs in the browser before anything is painted; the module of the theme takes over when it is there. */
function setEarlyTheme(): void {
  let chosen: string | null = null
  try {
    chosen = localStorage.getItem('svc-theme')
  } catch {
    // A browser that keeps nothing shows what the system has.
  }
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
}

/**
 * So that a page is never seen in the wrong colours. The head waits for this script, which is why it is a file of its
 * own and small; the policy allows none inline.
 */
export function earlyTheme(): Plugin {
  return {
    name: 'svc-early-theme',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'asset', name: 'early-theme.js', source: `(${setEarlyTheme.toString()})()` })
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
