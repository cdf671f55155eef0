/** In place of zod's words in 60 languages. */
export { default as en } from 'zod/v4/locales/en.js'
