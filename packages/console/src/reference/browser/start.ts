/** The script of the reference's pages: they are read without it, and tried with it. */
import '../../styles.css'
import { fillAddress } from './code-places.ts'
import { startCopying } from './copy-code.ts'
import { startKeyBar } from './reader-key.ts'
import { startRunForm } from './run-request.ts'
import { startSearch } from './search-dialog.ts'
import { startTabs } from './sample-tabs.ts'
import { startThemeSwitch } from './theme-switch.ts'

const menu = document.querySelector<HTMLButtonElement>('[data-menu]')
menu?.addEventListener('click', () => {
  const isOpen = document.documentElement.dataset['contents'] === 'open'
  document.documentElement.dataset['contents'] = isOpen ? '' : 'open'
  menu.setAttribute('aria-expanded', String(!isOpen))
})
document.querySelector('#contents [aria-current]')?.scrollIntoView({ block: 'nearest' })

fillAddress()
startThemeSwitch()
startTabs()
startCopying()
startSearch()
startKeyBar()
startRunForm()
