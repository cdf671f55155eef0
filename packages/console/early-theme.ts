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
  const { dataset } = document.documentElement
  dataset['theme'] = isDark ? 'dark' : 'light'
  const place = location.pathname.split('/')[2] ?? ''
  const gates = ['sign-in', 'link', 'invitation', 'first-run', 'confirm-email', 'terms']
  dataset['shell'] = gates.includes(place) ? 'gate' : 'team'
  // The longest list of all, beside the scripts that show it and not behind them.
  if (/\/models(?:\/|$)/.test(location.pathname)) {
    const link = document.createElement('link')
    link.rel = 'preload'
    link.as = 'fetch'
    link.crossOrigin = 'anonymous'
    link.href = '/api/v1/models?type=all'
    document.head.append(link)
  }
}

/**
 * So that a page is never seen in the wrong colours, or in the frame of another. The head waits for this script, which is why it is a file of its
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
