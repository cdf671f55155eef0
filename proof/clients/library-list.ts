/** The libraries that are tried, with the versions that are fetched. */
import type { LibraryClient } from './client.ts'

const python = (name: string, script: string, ...packages: [string, ...string[]]): LibraryClient => ({
  ...{ kind: 'library', language: 'python', name, script, packages },
})
const node = (name: string, script: string, ...packages: [string, ...string[]]): LibraryClient => ({
  ...{ kind: 'library', language: 'node', name, script, packages },
})

export const libraries: readonly LibraryClient[] = [
  python('openai-python', 'openai_python.py', 'openai==3.57.0'),
  node('openai-node', 'openai-node.mjs', 'openai@7.59.0'),
  python('anthropic-python', 'anthropic_python.py', 'anthropic==2.14.0'),
  node('anthropic-node', 'anthropic-node.mjs', '@anthropic-ai/sdk@1.14.0'),
  node(
    'ai-sdk',
    'ai-sdk.mjs',
    'ai@7.0.173',
    '@ai-sdk/openai@4.0.118',
    '@ai-sdk/anthropic@4.0.105',
    '@ai-sdk/openai-compatible@3.0.92',
    'zod@4.6.7',
  ),
  node('langchain-node', 'langchain-node.mjs', '@langchain/openai@1.6.0', '@langchain/core@1.4.0', 'zod@4.6.7'),
  python('langchain-python', 'langchain_python.py', 'langchain-openai==1.7.4'),
  python(
    'llamaindex',
    'llamaindex.py',
    'llama-index-llms-openai-like==0.8.1',
    'llama-index-embeddings-openai-like==0.4.0',
  ),
  python('pydantic-ai', 'pydantic_ai_agent.py', 'pydantic-ai-slim[openai]==2.68.0'),
  python('openai-agents-python', 'openai_agents.py', 'openai-agents==0.24.0'),
  node('openai-agents-node', 'openai-agents.mjs', '@openai/agents@0.20.0', 'zod@4.6.7'),
  python('instructor', 'instructor_client.py', 'instructor==1.17.0'),
  python('smolagents', 'smolagents_client.py', 'smolagents[openai]==1.26.0'),
  python('dspy', 'dspy_client.py', 'dspy[numpy]==3.4.1'),
  python('litellm', 'litellm_client.py', 'litellm==1.110.2'),
  python('llm', 'llm_client.py', 'llm==0.36'),
  node('openrouter-sdk', 'openrouter-sdk.mjs', '@openrouter/sdk@1.3.19'),
  python('cohere-python', 'cohere_python.py', 'cohere==7.3.1'),
  node('cohere-node', 'cohere-node.mjs', 'cohere-ai@8.1.0'),
  {
    ...{ kind: 'library', language: 'go', name: 'openai-go', script: 'main.go' },
    packages: ['github.com/openai/openai-go/v3@v3.98.0'],
  },
  {
    ...{ kind: 'library', language: 'rust', name: 'async-openai', script: 'src/main.rs' },
    // As Cargo.toml beside the script says.
    packages: ['async-openai@0.43.0'],
  },
  {
    ...{ kind: 'library', language: 'java', name: 'openai-java', script: 'Client.java' },
    // As pom.xml beside the script says.
    packages: ['com.openai:openai-java@4.101.0'],
  },
]
