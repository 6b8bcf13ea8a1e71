#!/usr/bin/env python3
"""pack.py [FILE]: packs this folder as an extension of Visual Studio Code, mtf-VERSION.vsix or FILE. Needs no network.

`code --install-extension FILE` installs it.
"""
import json
import pathlib
import sys
import zipfile
from xml.sax.saxutils import escape, quoteattr

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {"json": "application/json", "js": "application/javascript", "vsixmanifest": "text/xml"}


def manifest(package):
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={quoteattr(package["name"])} Version={quoteattr(package["version"])} Publisher={quoteattr(package["publisher"])}/>
    <DisplayName>{escape(package["displayName"])}</DisplayName>
    <Description xml:space="preserve">{escape(package["description"])}</Description>
    <Tags></Tags>
    <Categories>{escape(",".join(package["categories"]))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={quoteattr(package["engines"]["vscode"])}/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace,web"/>
    </Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def main():
    package = json.loads((HERE / "package.json").read_text())
    target = sys.argv[1] if len(sys.argv) > 1 else f"mtf-{package['version']}.vsix"
    types = "".join(f'<Default Extension=".{end}" ContentType="{kind}"/>' for end, kind in TYPES.items())
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name, text):
            # Always the same time, so that the same folder makes the same file.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)

        add("[Content_Types].xml", '<?xml version="1.0" encoding="utf-8"?>\n<Types xmlns='
            f'"http://schemas.openxmlformats.org/package/2006/content-types">{types}</Types>\n')
        add("extension.vsixmanifest", manifest(package))
        for file in sorted(HERE.rglob("*")):
            if file.suffix[1:] in TYPES:
                add("extension/" + file.relative_to(HERE).as_posix(), file.read_bytes())
    print(target)


main()
