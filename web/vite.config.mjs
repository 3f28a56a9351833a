import { defineConfig } from "vite";
import { inline_everything } from "./scripts/inline.mjs";

// Each page is a build of its own: one file with its script and style inside.
const page = process.env.FLYBALL_WEB_PAGE ?? "report";

export default defineConfig({
  root: import.meta.dirname ?? new URL(".", import.meta.url).pathname,
  plugins: [inline_everything()],
  build: {
    target: "es2021",
    outDir: process.env.FLYBALL_WEB_OUT ?? "dist",
    emptyOutDir: false,
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 1 << 20,
    chunkSizeWarningLimit: 2048,
    reportCompressedSize: false,
    rollupOptions: { input: new URL(`${page}.html`, import.meta.url).pathname },
  },
});
