import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { followConnection, queryClient } from './api/query-client.ts'
import { loadEarly, router } from './app/router.tsx'
import { applyTheme } from './app/theme.ts'
import { applyNonce } from './app/nonce.ts'
import { Toasts } from './ui/toasts.tsx'
import './styles.css'

applyNonce()
followConnection()
loadEarly()
applyTheme()

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </StrictMode>,
  )
}
