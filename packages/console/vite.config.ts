import path from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { earlyTheme } from './early-theme.ts'
import { firstChunks } from './first-chunk.ts'
import { keepLastBuild } from './keep-last-build.ts'
import { precompress } from './precompress.ts'
import { referenceSite } from './reference-site.ts'
import { schemaMakers, withoutSchemas } from './without-schemas.ts'

/** Writes each file compressed beside itself, once, so that the gateway only sends bytes. */
function precompressed(): Plugin {
  return {
    name: 'svc-precompressed',
    apply: 'build',
    // After everything is on disk: earlier, the scripts are not what they will be.
    writeBundle({ dir = '' }, bundle) {
      for (const fileName of Object.keys(bundle)) {
        // The gateway puts something of each visit into the page of the console.
        if (!fileName.endsWith('.html')) precompress(path.join(dir, fileName))
      }
    },
  }
}

/** The style first: what the document shows by itself waits for it alone, and the scripts share one line with it. */
function styleFirst(): Plugin {
  return {
    name: 'svc-style-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => {
        const [style = ''] = /<link rel="stylesheet"[^>]{1,200}>/.exec(html) ?? []
        return html
          .replace(style, '')
          .replace('<script type="module"', `${style}\n    <script type="module" fetchpriority="low"`)
          .replaceAll('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"')
      },
    },
  }
}

export default defineConfig({
  base: '/console/',
  plugins: [
    ...[withoutSchemas(), earlyTheme(), react(), tailwindcss(), styleFirst()],
    ...[precompressed(), referenceSite(), keepLastBuild()],
  ],
  // Fonts stay files: the policy of the pages takes none from inside a style.
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    sourcemap: false,
    // Browsers that read these scripts know `modulepreload`.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    // What is made by a schema library that is not there is made by nothing: see `withoutSchemas`.
    rolldownOptions: {
      input: ['index.html', 'docs.html'],
      output: { codeSplitting: { groups: firstChunks() } },
      treeshake: { manualPureFunctions: [...schemaMakers], propertyReadSideEffects: false },
      // The pages of the reference take their time, which nobody waits for.
      checks: { pluginTimings: false },
    },
  },
  server: { port: 5173, proxy: { '/api': 'http://localhost:8787' } },
})
