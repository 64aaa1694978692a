#!/usr/bin/env python3
"""Draws the profile photo of the sandbox's signed-in user, in the two sizes in which it is stored.

Needs Pillow. Run it from any folder; it writes Sources/Workflows/Sandbox/Examples/photo-{240,48}.jpg.
"""

from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter

RESOURCES = Path(__file__).resolve().parent.parent / "Sources/Workflows/Sandbox/Examples"
SCALE = 4
SIZE = 240 * SCALE


def scaled(*numbers):
    return [number * SCALE for number in numbers]


def sky():
    """A dawn: from deep blue down to warm yellow."""
    stops = [(0.0, (52, 78, 140)), (0.45, (158, 118, 168)), (0.75, (244, 166, 132)), (1.0, (252, 216, 150))]
    column = Image.new("RGB", (1, SIZE))
    for y in range(SIZE):
        part = y / (SIZE - 1)
        for (start, low), (end, high) in zip(stops, stops[1:]):
            if start <= part <= end:
                mix = (part - start) / (end - start)
                column.putpixel((0, y), tuple(round(a + (b - a) * mix) for a, b in zip(low, high)))
                break
    return column.resize((SIZE, SIZE))


def picture():
    image = sky()
    draw = ImageDraw.Draw(image)
    draw.ellipse(scaled(150, 96, 206, 152), fill=(255, 240, 200))
    draw.polygon(scaled(0, 182, 52, 128, 104, 176, 150, 140, 240, 196, 240, 240, 0, 240), fill=(112, 96, 142))
    draw.polygon(scaled(0, 206, 80, 172, 160, 204, 240, 178, 240, 240, 0, 240), fill=(70, 66, 108))
    draw.ellipse(scaled(54, 168, 186, 300), fill=(32, 112, 122))
    draw.rounded_rectangle(scaled(105, 142, 135, 188), radius=15 * SCALE, fill=(222, 164, 128))
    draw.ellipse(scaled(72, 46, 168, 160), fill=(84, 52, 44))
    draw.ellipse(scaled(84, 66, 156, 158), fill=(238, 184, 148))
    draw.pieslice(scaled(78, 48, 162, 118), 180, 360, fill=(84, 52, 44))
    for x in (106, 134):
        draw.ellipse(scaled(x - 4, 104, x + 4, 112), fill=(60, 40, 36))
    draw.arc(scaled(102, 108, 138, 140), 25, 155, fill=(176, 84, 76), width=4 * SCALE)
    return image.filter(ImageFilter.GaussianBlur(SCALE / 2))


def main():
    RESOURCES.mkdir(parents=True, exist_ok=True)
    image = picture()
    for size in (240, 48):
        path = RESOURCES / f"photo-{size}.jpg"
        image.resize((size, size), Image.LANCZOS).save(path, quality=86, optimize=True)
        print(path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
