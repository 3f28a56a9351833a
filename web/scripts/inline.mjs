// A Vite plugin: puts the one script and the one style sheet into the page, so that it opens from disk.

const script_tag = /<script type="module"[^>]*\ssrc="[^"]*"[^>]*><\/script>\s*/;
const style_tag = /<link rel="stylesheet"[^>]*>\s*/;

function only(assets, what) {
  if (assets.length !== 1) throw new Error(`expected one ${what}, found ${assets.length}`);
  return assets[0];
}

export function inline_everything() {
  return {
    name: "flyball-inline",
    enforce: "post",
    generateBundle(_options, bundle) {
      const files = Object.values(bundle);
      const page = only(files.filter((f) => f.fileName.endsWith(".html")), "page");
      const script = only(files.filter((f) => f.type === "chunk"), "script");
      const style = only(files.filter((f) => f.fileName.endsWith(".css")), "style sheet");
      if (/<\/script|<!--/i.test(script.code)) throw new Error("the script would end its own element");
      // Functions as replacements: a `$` in the code must not be read as a pattern.
      page.source = String(page.source)
        .replace(script_tag, "")
        .replace(style_tag, () => `<style>${String(style.source).trim()}</style>\n`)
        .replace("</body>", () => `<script type="module">${script.code.trim()}</script>\n</body>`);
      if (/(src|href)="(?!data:|#)[^"]*"/.test(page.source.split("<body>")[0])) throw new Error("something is still linked");
      delete bundle[script.fileName];
      delete bundle[style.fileName];
    },
  };
}
