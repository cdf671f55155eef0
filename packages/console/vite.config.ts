import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { earlyTheme } from './early-theme.ts'
import { withoutSchemas } from './without-schemas.ts'

const WORTH_COMPRESSING = /\.(?:js|css|svg)$/
const BYTES_MIN = 1_024

/** Writes each file compressed beside itself, once, so that the gateway only sends bytes. */
function precompressed(): Plugin {
  return {
    name: 'svc-precompressed',
    apply: 'build',
    // After everything is on disk: earlier, the scripts are not what they will be.
    writeBundle({ dir = '' }, bundle) {
      for (const fileName of Object.keys(bundle)) {
        const file = path.join(dir, fileName)
        const source = readFileSync(file)
        if (!WORTH_COMPRESSING.test(fileName) || source.length < BYTES_MIN) continue
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
        writeFileSync(`${file}.br`, brotliCompressSync(source, quality))
        writeFileSync(`${file}.gz`, gzipSync(source, { level: 9 }))
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
  plugins: [withoutSchemas(), earlyTheme(), react(), tailwindcss(), styleFirst(), precompressed()],
  // Fonts stay files: the policy of the pages takes none from inside a style.
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    sourcemap: false,
    chunkSizeWarningLimit: 600,
    // What is made by a schema library that is not there is made by nothing: see `withoutSchemas`.
    rolldownOptions: { treeshake: { manualPureFunctions: ['z'] } },
  },
  server: { port: 5173, proxy: { '/api': 'http://localhost:8787' } },
})
