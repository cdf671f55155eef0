import { toJsxRuntime } from 'hast-util-to-jsx-runtime'
import bash from 'highlight.js/lib/languages/bash'
import http from 'highlight.js/lib/languages/http'
import ini from 'highlight.js/lib/languages/ini'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import { createLowlight } from 'lowlight'
import { Fragment, jsx, jsxs } from 'react/jsx-runtime'

/** What the documents have. */
export const languages = { bash, http, ini, javascript, json, python, typescript }

/** Made once: it takes longer than most pages. */
const lowlight = createLowlight(languages)

/** Code in a language, coloured; in an unknown one as it is. */
export function HighlightedCode({ code, language }: { readonly code: string; readonly language: string }) {
  if (!lowlight.registered(language)) return <code>{code}</code>
  return <code>{toJsxRuntime(lowlight.highlight(language, code), { Fragment, jsx, jsxs })}</code>
}
