"""The live page (extra `serve`): every claim can be found, read, changed and watched in a browser on this machine."""

from lemmata.serve.start import serve as serve
