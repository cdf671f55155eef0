/** The search: its index is fetched and made when it is first opened. */
import type MiniSearch from 'minisearch'
import type { SearchEntry } from '../search-entry.ts'

/** How many results are shown. Source: own choice. */
const FOUND_MAX = 20
const EXCERPT = 140

type Entry = SearchEntry & { readonly id: number }

async function openIndex(): Promise<(words: string) => readonly Entry[]> {
  const [{ default: Search }, entries] = await Promise.all([
    import('minisearch'),
    fetch('/docs/search.json').then((answer) => answer.json() as Promise<SearchEntry[]>),
  ])
  const all: Entry[] = entries.map((entry, id) => ({ ...entry, id }))
  const index: MiniSearch<Entry> = new Search<Entry>({ fields: ['title', 'page', 'text'] })
  index.addAll(all)
  const options = { prefix: true, fuzzy: 0.15, boost: { title: 4, page: 2 } }
  return (words) => {
    const every = index.search(words, { ...options, combineWith: 'AND' })
    const found = every.length > 0 ? every : index.search(words, options)
    return found.slice(0, FOUND_MAX).flatMap(({ id }) => all[id as number] ?? [])
  }
}

function rowOf({ title, page, url, text }: Entry): HTMLLIElement {
  const row = document.createElement('li')
  const link = document.createElement('a')
  link.href = url
  link.className = 'block rounded px-3 py-2 hover:bg-sunken focus-visible:bg-sunken'
  const parts = [
    [title, 'font-medium'],
    [page, 'ml-2 text-[12px] text-soft'],
    [text.slice(0, EXCERPT), 'block truncate text-[12px] text-soft'],
  ] as const
  for (const [content, look] of parts) {
    const span = document.createElement('span')
    span.textContent = content
    span.className = look
    link.append(span)
  }
  row.append(link)
  return row
}

interface SearchParts {
  readonly dialog: HTMLDialogElement
  readonly field: HTMLInputElement
  readonly list: HTMLUListElement
  readonly said: Element
}

export function startSearch(): void {
  const dialog = document.querySelector<HTMLDialogElement>('[data-search]')
  const field = dialog?.querySelector<HTMLInputElement>('[data-search-field]')
  const list = dialog?.querySelector<HTMLUListElement>('[data-search-found]')
  const said = dialog?.querySelector('[data-search-said]')
  if (dialog && field && list && said) openSearch({ dialog, field, list, said })
}

function openSearch({ dialog, field, list, said }: SearchParts): void {
  let index: ReturnType<typeof openIndex> | null = null

  async function show(): Promise<void> {
    const words = field.value.trim()
    try {
      index ??= openIndex()
      const found = words === '' ? [] : (await index)(words)
      if (field.value.trim() !== words) return
      list.replaceChildren(...found.map(rowOf))
      said.textContent =
        words === ''
          ? 'Type what you are looking for.'
          : found.length === 0
            ? `Nothing matches “${words}”.`
            : `${found.length} found`
    } catch {
      index = null
      said.textContent = 'The search could not be loaded. Try again.'
    }
  }
  const open = (): void => {
    if (!dialog.open) dialog.showModal()
    field.select()
    void show()
  }
  const move = (step: number): void => {
    const links = [...list.querySelectorAll('a')]
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    const next = at + step
    if (next < 0) field.focus()
    else links[Math.min(next, links.length - 1)]?.focus()
  }
  document.querySelector('[data-search-open]')?.addEventListener('click', open)
  dialog.querySelector('[data-search-close]')?.addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', ({ target }) => {
    // The backdrop, or a link to a place on this page.
    if (target === dialog || (target instanceof Element && target.closest('a') !== null)) dialog.close()
  })
  field.addEventListener('input', () => void show())
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      move(event.key === 'ArrowDown' ? 1 : -1)
    } else if (event.key === 'Enter' && document.activeElement === field) list.querySelector('a')?.click()
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null
    const isAsked = (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !isTyping)
    if (!isAsked) return
    event.preventDefault()
    open()
  })
}
